import { execFileSync } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canHaveUsers, userJail } from "../audit/user-jail.ts";
import { inCrowd } from "../time-limits/crowd.ts";
import { type CliBench, type CliOutcome, cliBench, runProgram, shellQuoted } from "./cli-bench.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { guidePage } from "./guide-page.ts";

const guide = guidePage("company");
const followed: string[] = [];
const LONGEST_MS = inCrowd(20_000);
/** A developer and two approvers, each with an account. */
const USERS = { dev: 2001, alovelace: 2002, bob: 2003 } as const;
type User = keyof typeof USERS;
const PROJECT = "/home/dev/project";
const STORE = "home/dev/.local/state/toolkeep/sessions";
let bench: CliBench;
let jail: ReturnType<typeof userJail<typeof USERS>>;
let served: GatewayClient | undefined;

beforeAll(() => {
  bench = cliBench();
  if (!canHaveUsers) return;
  jail = userJail(bench.base, USERS, []);
  const keys = { ADA: newKey("alovelace"), BOB: newKey("bob"), DEV: newKey("dev") };
  const config = guide.block("file: config.jsonc");
  jail.put(
    "etc/toolkeep/config.jsonc",
    config.replace(/(\w+)-PUBLIC-KEY/g, (_, name: keyof typeof keys) => keys[name]),
  );
  jail.put("etc/toolkeep/policy.yaml", guide.block("file: policy.yaml"));
  jail.put("opt/payments/server.js", SERVER);
  jail.put("home/dev/project/.mcp.json", guide.block("file: .mcp.json"));
  mkdirSync(join(bench.base, "home/dev/project/.git"));
  for (const [name, id] of Object.entries(USERS))
    execFileSync("chown", ["-R", `${id}:${id}`, join(bench.base, "home", name)]);
});
afterAll(async () => {
  await served?.client.close();
  bench.remove();
});

/** Makes the SSH key of a user, and returns its public one. */
function newKey(user: User): string {
  const file = join(bench.base, "home", user, ".ssh/id_ed25519");
  jail.put(`home/${user}/.ssh/config`, "", 0o600);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", `${user}@example.com`, "-f", file]);
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

const environment = (user: string) => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  ...{ HOME: user === "root" ? "/root" : `/home/${user}`, LANG: "C.UTF-8", TOOLKEEP_DECIDER: "off" },
});

interface Where {
  readonly user?: User;
  readonly env?: Readonly<Record<string, string>>;
}

function run(line: string, { user = "dev", env = {} }: Where = {}): Promise<CliOutcome> {
  const argv = jail.as(user, user === "dev" ? PROJECT : `/home/${user}`, "/bin/sh", "-ec", line);
  return runProgram(argv, { env: { ...environment(user), ...env } });
}

/** Runs the commands of a block, and compares what they show with the page. */
async function follow(
  name: string,
  { id = "", ...where }: Where & { readonly id?: string } = {},
): Promise<CliOutcome> {
  followed.push(name);
  const outcome = await run(guide.block(`run: ${name}`).replaceAll("ID", id), where);
  expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0);
  const plain = id === "" ? outcome.stdout : outcome.stdout.replaceAll(id, "ID");
  if (guide.text.includes(`<!-- shows: ${name} -->`)) expect(plain).toMatch(guide.shown(name));
  return outcome;
}

/** A call of the developer's agent, through the hook. Returns what the hook decides. */
async function called(command: string, session: string, env: Readonly<Record<string, string>> = {}) {
  const payload = JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: session, cwd: PROJECT, tool_use_id: session },
    ...{ tool_name: "Bash", tool_input: { command } },
  });
  const { stdout, stderr } = await run(`printf %s ${shellQuoted(payload)} | toolkeep hook claude-code`, {
    env,
  });
  expect(stderr).not.toContain("cannot");
  return stdout === "" ? "nothing" : JSON.parse(stdout).hookSpecificOutput?.permissionDecision;
}

/** The id of the request, once it waits. */
async function waitingId(): Promise<string> {
  for (const until = Date.now() + LONGEST_MS; Date.now() < until; await wait(200)) {
    const [first] = JSON.parse((await run("toolkeep approvals list --json")).stdout) as { id: string }[];
    if (first !== undefined) return first.id;
  }
  throw new Error("No pending request.");
}

/** Brings a file from one user's machine to another's, as mail does. */
function send(name: string, from: string, to: string): void {
  const owner = to.startsWith("dev") ? USERS.dev : USERS[to as User];
  const file = join(bench.base, "home", to, name);
  copyFileSync(join(bench.base, "home", from, name), file);
  chownSync(file, owner, owner);
}

/** A setting of the unit, as systemd reads it. */
function setting(unit: string, name: string): string {
  const [, value] = new RegExp(`^${name}=(.*)$`, "m").exec(guide.block(`file: ${unit}`)) ?? [];
  if (value === undefined) throw new Error(`${unit} has no ${name}.`);
  return value;
}

/** Receives what root sends. */
async function receiver() {
  const requests: { readonly url: string; readonly token: string | undefined; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const parts = await Array.fromAsync(request.setEncoding("utf8"));
    const { url = "", headers } = request;
    requests.push({ url, token: headers.authorization, body: parts.join("") });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { requests, port, [Symbol.dispose]: () => server.close() };
}

/** Runs what the unit starts, as root and with the unit's variables. The servers of the page are this one. */
function startUnit(port: number): Promise<CliOutcome> {
  const line = setting("toolkeep-audit.service", "ExecStart").replaceAll(
    /https:\/\/\w+\.example\.com/g,
    `http://127.0.0.1:${port}`,
  );
  const file = join(bench.base, setting("toolkeep-audit.service", "EnvironmentFile"));
  const variables = readFileSync(file, "utf8").trim().split("\n");
  const env = Object.fromEntries(variables.map((one) => one.split("=") as [string, string]));
  const state = setting("toolkeep-audit.service", "StateDirectory");
  mkdirSync(join(bench.base, "var/lib", state), { recursive: true, mode: 0o700 });
  return runProgram(jail.root(...line.split(" ")), { env: { ...environment("root"), ...env } });
}

describe.runIf(canHaveUsers)("a company, as the guide has it", () => {
  test("the policy is valid and tested, and a user cannot loosen it", async () => {
    await follow("check");
    const own = "home/dev/.config/toolkeep";
    jail.put(
      `${own}/policy.yaml`,
      'version: 1\nrules:\n  - allow shell.run "kubectl delete *"\n  - allow git.push\n',
    );
    execFileSync("chown", ["-R", "2001:2001", join(bench.base, "home/dev/.config")]);
    const explained = async (call: string) =>
      JSON.parse((await run(`toolkeep policy explain --json '${call}' `)).stdout)[0].action;
    expect(await explained("kubectl delete pod web-1")).toBe("deny");
    expect(await explained("git push origin main")).toBe("ask");
    writeFileSync(join(bench.base, own, "config.jsonc"), '{ "mode": "yolo" }');
    expect((await run("toolkeep policy explain 'git push'")).stderr).toContain("Your administrator does not");
    writeFileSync(join(bench.base, own, "config.jsonc"), "{}");
  });

  test("a developer installs hooks, and accepts a server that the administrator lists", async () => {
    expect((await follow("install")).stdout).toContain("administrator, /etc/toolkeep/config.jsonc");
  });

  test("a rule on trial stops nothing, and the log shows what it would have stopped", async () => {
    expect(await called("terraform apply -auto-approve", "trial")).not.toBe("deny");
    expect(await called("kubectl delete pod web-1", "held")).toBe("deny");
    await follow("trial");
  });

  test("no variable, option or file of a user moves the record, and none erases it", async () => {
    const own = join(bench.base, "home/dev/.config/toolkeep/config.jsonc");
    const moved = '{ "journal": { "folder": "/home/dev/elsewhere" } }';
    writeFileSync(own, moved);
    for (const name of [".toolkeep/config.jsonc", "other.jsonc"])
      jail.put(join("home/dev/project", name), moved);
    const ways = [
      ...[
        { TOOLKEEP_HOME: "/home/dev/moved" },
        { XDG_STATE_HOME: "/home/dev/moved" },
        { HOME: "/home/dev/moved" },
      ],
      ...[{ TOOLKEEP_CONFIG: `${PROJECT}/other.jsonc` }, { USER: "bob", LOGNAME: "bob" }],
    ];
    mkdirSync(join(bench.base, "home/dev/moved"), { mode: 0o700 });
    chownSync(join(bench.base, "home/dev/moved"), USERS.dev, USERS.dev);
    await Promise.all(
      ways.map((env, index) => called(`git push origin way-${index}`, `way-${index}`, env as never)),
    );
    writeFileSync(own, "{}");
    const logged = JSON.parse((await run("toolkeep log --json --last 50")).stdout) as { effects: string[] }[];
    const seen = JSON.stringify(logged);
    expect(ways.filter((_, index) => !seen.includes(`way-${index}`))).toEqual([]);
    expect(existsSync(join(bench.base, "home/dev/elsewhere"))).toBe(false);
    for (const store of ["", "--store ~/.local/state/toolkeep/sessions"])
      expect((await run(`toolkeep sessions erase way-0 --yes ${store}`)).code).toBe(3);
  });

  test("two people approve a payment by signature, and it is paid once", async () => {
    const [command, ...args] = jail.as("dev", PROJECT, "toolkeep", "gateway", "--wrap", "payments");
    served = await gatewayClient({ command, args, cwd: "/", env: environment("dev") });
    const { call } = served;
    // On a busy machine a server may need a second start.
    const small = await vi.waitFor(() => call("send", { to: "acme", amount: 20 }), LONGEST_MS);
    expect(small).toMatchObject({ text: "paid 20 to acme" });
    const paying = served.call("send", { to: "acme", amount: 900 });
    const id = await waitingId();
    await follow("show", { id });
    expect((await run(`toolkeep approvals approve ${id} --yes`)).code).not.toBe(0);
    await follow("request", { id });
    for (const user of ["alovelace", "bob"] as const) {
      send("request.json", "dev/project", user);
      const signing = guide.block("run: sign").replaceAll("ID", id);
      if (user === "bob") await follow("sign", { id, user });
      else expect((await run(signing, { user })).code).toBe(0);
      send("signed.json", user, "dev/project");
      if (user === "bob") await follow("deliver", { id });
      else expect((await run(guide.block("run: deliver").replaceAll("ID", id))).code).toBe(0);
    }
    expect(await paying).toMatchObject({ isError: false, text: "paid 900 to acme" });
    expect((await run(`toolkeep approvals approve ${id} --signed signed.json --yes`)).code).not.toBe(0);
  });

  test("the record answers who approved it and why", async () => {
    await follow("audit");
  });

  test("the units are what systemd accepts", () => {
    const units = ["toolkeep-audit.service", "toolkeep-audit.timer"].map((name) => {
      // The program is not installed on the machine of the test.
      jail.put(
        `srv/units/${name}`,
        guide.block(`file: ${name}`).replace("/usr/local/bin/toolkeep", "/bin/true"),
      );
      return join(bench.base, "srv/units", name);
    });
    for (const unit of units)
      for (const line of readFileSync(unit, "utf8").trim().split("\n"))
        expect(line).toMatch(/^(?:#.*|\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.+|)$/);
    expect(setting("toolkeep-audit.timer", "OnCalendar")).not.toBe("");
    expect(setting("toolkeep-audit.service", "Type")).toBe("oneshot");
    if (existsSync("/usr/bin/systemd-analyze"))
      execFileSync("systemd-analyze", ["verify", "--man=no", ...units], { encoding: "utf8" });
  });

  test("the timer keeps proof of every user's record, which names what a user changes", async () => {
    using server = await receiver();
    jail.put("etc/toolkeep/audit.env", "TOOLKEEP_AUDIT_TOKEN=of-root\n", 0o600);
    const key = join(bench.base, "etc/toolkeep/audit-key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    await run("toolkeep call read request.json", { user: "bob" });
    const first = await startUnit(server.port);
    expect(first.code, first.stdout + first.stderr).toBe(0);
    const lines = server.requests.filter(({ url }) => url === "/checkpoints").map(({ body }) => body);
    const of = lines.map((line) => JSON.parse(line).checkpoint.of.account);
    expect(of.filter((name) => name !== "alovelace")).toEqual(["dev", "bob"]);
    expect(new Set(server.requests.map(({ token }) => token))).toEqual(new Set(["Bearer of-root"]));
    const events = server.requests
      .filter(({ url }) => url === "/ocsf")
      .flatMap(({ body }) => JSON.parse(body));
    expect(events.find(({ unmapped }) => unmapped?.shadow !== undefined)).toMatchObject({
      device: { hostname: expect.any(String), uid: expect.any(String), owner: { name: "dev" } },
      unmapped: { shadow: { action: "deny" } },
    });
    const kept = join(bench.base, "home/dev/project/checkpoints.jsonl");
    writeFileSync(kept, lines.find((line) => line.includes('"account":"dev"')) ?? "", { mode: 0o644 });
    await follow("verify");
    await follow("bundle");
    send("payment.bundle", "dev/project", "bob");
    expect(
      (
        await run("toolkeep sessions verify --bundle payment.bundle --key ~/.ssh/id_ed25519.pub", {
          user: "bob",
        })
      ).code,
    ).toBe(1);
    await served?.client.close();
    changeRecord();
    const changed = await startUnit(server.port);
    expect([changed.code, changed.stdout]).toMatchObject([
      1,
      expect.stringMatching(/^dev .*\n {2}CHANGED: /m),
    ]);
    expect((await run(guide.block("run: verify"))).code).toBe(1);
  });

  test("nothing on the page was left out", () => {
    expect(followed).toEqual(guide.runs);
  });
});

/** What the owner of the record can do with any program. */
function changeRecord(): void {
  const store = join(bench.base, STORE);
  const file = readdirSync(store).find((name) => name.endsWith(".db")) ?? "";
  using db = new DatabaseSync(join(store, file));
  db.exec("UPDATE sessions SET name = 'other' WHERE name LIKE '%held%'");
}
