import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parsePolicy } from "@toolkeep/policy";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VERSION } from "../../packages/cli/src/terminal/version.ts";
import { type CliBench, cliBench, OWN_LINE, runProgram } from "./cli-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { guidePage } from "./guide-page.ts";
import { inTerminal } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

const guide = guidePage("gateway");
let bench: CliBench;
let env: Readonly<Record<string, string>>;
let served: GatewayClient | undefined;

beforeEach(() => {
  bench = cliBench();
  env = { ...bench.environment, PATH: `${fakeNpx(bench.base)}:${bench.environment.PATH}` };
  served = undefined;
});
afterEach(async () => {
  await served?.client.close();
  bench.remove();
});

/** Runs a command of the guide as it is written. */
const follow = (
  name: string,
  replaced: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
) => {
  const argv = [...guide.command(name).map((arg) => replaced[arg] ?? arg), ...more];
  return runProgram([join(bench.base, "bin", argv[0] ?? ""), ...argv.slice(1)], {
    cwd: bench.project,
    env,
  });
};

const fileOf = (path: string) => JSON.parse(readFileSync(join(bench.project, path), "utf8"));

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

test("the commands of the guide install the gateway, approve a call and uninstall", async () => {
  bench.write(".mcp.json", guide.block("before: .mcp.json"));
  const before = snapshotOf(bench.project);

  expect(await follow("install")).toMatchObject({ code: 0 });
  expect(fileOf(".mcp.json")).toEqual(guide.value("after: .mcp.json", bench));
  expect(fileOf(".claude/settings.local.json")).toEqual(
    guide.value("after: .claude/settings.local.json", bench),
  );

  const entry = fileOf(".mcp.json").mcpServers.filesystem as Entry;
  served = await gatewayClient({ ...entry, cwd: bench.project, env });
  bench.write("src/a.txt", "hello");

  const read = await served.call("read_text_file", { path: join(bench.project, "src/a.txt") });
  expect(read).toMatchObject({ isError: false, text: expect.stringContaining("hello") });

  const git = join(bench.project, ".git/config");
  const denied = await served.call("write_file", { path: git, content: "x" });
  expect(denied.isError).toBe(true);
  expect(existsSync(git)).toBe(false);

  const other = join(bench.project, "Makefile");
  const asked = served.call("write_file", { path: other, content: "asked" });
  const id = await waitingId();
  expect(existsSync(other)).toBe(false);
  // A program is not the user.
  expect(await follow("approve", { ID: id }, ["--yes"])).toMatchObject({ code: 4 });
  const typed = guide.block("run: approve").trim().replace("toolkeep", OWN_LINE).replace("ID", id);
  const typing = [{ after: "[y/N]", keys: "y\n" }];
  expect(await inTerminal(typed, typing, { cwd: bench.project, env })).toMatchObject({ code: 0 });
  expect((await asked).isError).toBe(false);
  expect(readFileSync(other, "utf8")).toBe("asked");

  await served.client.close();
  served = undefined;
  const {
    Makefile: _other,
    "src/a.txt": _a,
    ...kept
  } = await follow("uninstall").then(({ code }) => {
    expect(code).toBe(0);
    return snapshotOf(bench.project);
  });
  expect(kept).toEqual(before);
});

/** The first line of `approvals`, once a request is pending. */
async function waitingId(): Promise<string> {
  for (let turn = 0; turn < 200; turn += 1) {
    const { stdout } = await follow("approvals");
    const [id] = stdout.split("\n");
    if (id !== undefined && id !== "") return id;
    await wait(100);
  }
  throw new Error("No pending request.");
}

test.each([
  ["cursor", ".cursor/mcp.json", ".cursor/hooks.json"],
  ["vscode", ".vscode/mcp.json", undefined],
])("the guide shows for %s what is installed", async (client, servers, hooks) => {
  const key = client === "vscode" ? "servers" : "mcpServers";
  const { mcpServers } = JSON.parse(guide.block("before: .mcp.json"));
  bench.write(servers, JSON.stringify({ [key]: mcpServers }));
  expect(await bench.run(["init", client, "--yes"], { env })).toMatchObject({ code: 0 });
  expect(fileOf(servers)).toEqual(guide.value(`${client}: ${servers}`, bench));
  if (hooks !== undefined) expect(fileOf(hooks)).toEqual(guide.value(`${client}: ${hooks}`, bench));
});

test("the policy and the hooks of the guide are valid", () => {
  const read = parsePolicy(guide.block("policy"), { file: "policy.yaml" });
  expect(read.diagnostics).toEqual([]);
  const command = `${OWN_LINE} hook gemini-cli || exit 2`;
  const hooks = [{ type: "command", command, timeout: 30_000 }];
  expect(guide.value("gemini: .gemini/settings.json", bench)).toEqual({
    hooks: { BeforeTool: [{ matcher: ".*", hooks }] },
  });
});

test("the guide names the current version", () => {
  const named = new Set([...guide.text.matchAll(/toolkeep@([\d.]+\d)/g)].map(([, version]) => version));
  expect([...named]).toEqual([VERSION]);
});
