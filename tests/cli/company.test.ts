import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inCrowd } from "../time-limits/crowd.ts";
import { type CliBench, type CliOutcome, cliBench, OWN_LINE, runProgram, shellQuoted } from "./cli-bench.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { guidePage } from "./guide-page.ts";

const guide = guidePage("company");
const followed: string[] = [];
const LONGEST_MS = inCrowd(20_000);
let bench: CliBench;
let served: GatewayClient | undefined;

/** A machine with an administrator: only root can put files into `/etc` of a mount namespace, and own them there. */
const canMount = process.platform === "linux" && process.getuid?.() === 0;

beforeAll(() => {
  bench = cliBench();
  for (const folder of ["etc", "opt/payments", "bin"])
    mkdirSync(join(bench.base, folder), { recursive: true });
  mkdirSync(join(bench.home, ".ssh"), { mode: 0o700 });
  const keys = Object.fromEntries(["ada", "bob", "audit"].map((name) => [name, newKey(name)]));
  const config = guide.block("file: config.jsonc");
  put(
    "etc/config.jsonc",
    config.replace(/(\w+)-PUBLIC-KEY/g, (_, name) => keys[name.toLowerCase()] ?? ""),
  );
  put("etc/policy.yaml", guide.block("file: policy.yaml"));
  put("opt/payments/server.js", SERVER);
  put("bin/toolkeep", `#!/bin/sh\nexec ${OWN_LINE} "$@"\n`, 0o755);
  put("bin/node", `#!/bin/sh\nexec ${shellQuoted(process.execPath)} "$@"\n`, 0o755);
  const payments = { command: "node", args: ["/opt/payments/server.js"] };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { payments } }));
});
afterAll(async () => {
  await served?.client.close();
  bench.remove();
});

function put(path: string, text: string, mode = 0o644): void {
  writeFileSync(join(bench.base, path), text, { mode });
}

/** Makes an SSH key, and returns its public one. */
function newKey(name: string): string {
  const file = join(bench.home, ".ssh", name);
  const made = ["-q", "-t", "ed25519", "-N", "", "-C", `${name}@example.com`, "-f", file];
  execFileSync("ssh-keygen", made);
  return readFileSync(`${file}.pub`, "utf8").trim();
}

/** The company's server. */
const SERVER = `
const { createInterface } = require("node:readline");
const inputSchema = { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } };
const answers = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "payments", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "send", description: "Sends a payment.", inputSchema }] }),
  "tools/call": ({ arguments: { to, amount } }) => ({ content: [{ type: "text", text: "paid " + amount + " to " + to }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params) ?? {};
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

/** A folder of the machine with all that it holds, except one entry that a test brings along. */
function holding(folder: string, name: string, own: string): readonly string[] {
  const others = readdirSync(folder).filter((other) => other !== name);
  const kept = others.flatMap((other) => {
    const path = join(folder, other);
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--dev-bind", path, path];
  });
  return ["--tmpfs", folder, ...kept, "--ro-bind", join(bench.base, own), join(folder, name)];
}

/** Starts a program where the administrator's files are in their place. Node and the checkout may lie next to them. */
function onMachine(...argv: readonly string[]): readonly [string, ...string[]] {
  const files = [...holding("/etc", "toolkeep", "etc"), ...holding("/opt", "payments", "opt/payments")];
  return ["/usr/bin/bwrap", "--dev-bind", "/", "/", ...files, "--", ...argv];
}

const environment = () => ({
  PATH: `${join(bench.base, "bin")}:/usr/bin:/bin`,
  ...{ HOME: bench.home, LANG: "C.UTF-8", TOOLKEEP_DECIDER: "off" },
});

function run(line: string, home = bench.home): Promise<CliOutcome> {
  const env = { ...environment(), HOME: home };
  return runProgram(onMachine("/bin/sh", "-ec", line), { cwd: bench.project, env });
}

/** Runs the commands of a block, and compares what they show with the page. */
async function follow(name: string, id = ""): Promise<CliOutcome> {
  followed.push(name);
  const outcome = await run(guide.block(`run: ${name}`).replaceAll("ID", id));
  expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0);
  const plain = id === "" ? outcome.stdout : outcome.stdout.replaceAll(id, "ID");
  if (guide.text.includes(`<!-- shows: ${name} -->`)) expect(plain).toMatch(guide.shown(name));
  return outcome;
}

/** The id of the request, once it waits. */
async function waitingId(): Promise<string> {
  for (const until = Date.now() + LONGEST_MS; Date.now() < until; await wait(200)) {
    const [first] = JSON.parse((await run("toolkeep approvals list --json")).stdout) as { id: string }[];
    if (first !== undefined) return first.id;
  }
  throw new Error("No pending request.");
}

describe.runIf(canMount)("a company, as the guide has it", () => {
  test("the policy is valid and tested, and a user cannot loosen it", async () => {
    await follow("check");
    const own = join(bench.home, ".config/toolkeep");
    mkdirSync(own, { recursive: true, mode: 0o700 });
    writeFileSync(
      join(own, "policy.yaml"),
      'version: 1\nrules:\n  - allow shell.run "kubectl delete *"\n  - allow git.push\n',
    );
    const explained = async (call: string) =>
      JSON.parse((await run(`toolkeep policy explain --json '${call}' `)).stdout)[0].action;
    expect(await explained("kubectl delete pod web-1")).toBe("deny");
    expect(await explained("git push origin main")).toBe("ask");
    writeFileSync(join(own, "config.jsonc"), '{ "mode": "yolo" }');
    expect((await run("toolkeep policy explain 'git push'")).stderr).toContain("Your administrator does not");
    writeFileSync(join(own, "config.jsonc"), "{}");
  });

  test("a developer installs hooks, and accepts a server that the administrator lists", async () => {
    expect((await follow("install")).stdout).toContain("administrator, /etc/toolkeep/config.jsonc");
  });

  test("two people approve a payment by signature, and it is paid once", async () => {
    const [command, ...args] = onMachine("toolkeep", "gateway", "--wrap", "payments");
    served = await gatewayClient({ command, args, cwd: bench.project, env: environment() });
    const { call } = served;
    // On a busy machine a server may need a second start.
    const small = await vi.waitFor(() => call("send", { to: "acme", amount: 20 }), LONGEST_MS);
    expect(small).toMatchObject({ text: "paid 20 to acme" });
    const paying = served.call("send", { to: "acme", amount: 900 });
    const id = await waitingId();
    await follow("show", id);
    expect((await run(`toolkeep approvals approve ${id} --yes`)).code).not.toBe(0);
    await follow("ada", id);
    await follow("bob", id);
    expect(await paying).toMatchObject({ isError: false, text: "paid 900 to acme" });
    expect((await run(`toolkeep approvals approve ${id} --signed signed.json --yes`)).code).not.toBe(0);
  });

  test("the record answers who approved it and why, and proof of it is kept elsewhere", async () => {
    await follow("audit");
    await follow("checkpoint");
    await follow("bundle");
    expect((await run("toolkeep sessions verify --bundle payment.bundle --key ~/.ssh/ada.pub")).code).toBe(1);
    await served?.client.close();
    const store = join(bench.home, ".local/state/toolkeep/sessions");
    const file = readdirSync(store).find((name) => name.endsWith(".db") || name.endsWith(".sqlite")) ?? "";
    using db = new DatabaseSync(join(store, file));
    db.exec("UPDATE sessions SET name = 'other'");
    const changed = await run(
      "toolkeep sessions verify --checkpoint checkpoints.jsonl --key ~/.ssh/audit.pub",
    );
    expect(changed.code).toBe(1);
  });

  test("nothing on the page was left out", () => {
    expect(followed).toEqual(guide.runs);
  });
});
