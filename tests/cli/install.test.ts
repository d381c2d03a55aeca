import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS, type InstallClientName } from "../../packages/cli/src/clients/install-client.ts";
import {
  type InstallTarget,
  installTarget,
} from "../../packages/cli/src/clients/installed/install-record.ts";
import { publishedCommand } from "../../packages/cli/src/clients/installed/own-command.ts";
import { applyInstall, finishInstall } from "../../packages/cli/src/install/apply-install.ts";
import { planInstall } from "../../packages/cli/src/install/plan-install.ts";
import { applyUndo, planUndo } from "../../packages/cli/src/install/undo-install.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { snapshotOf } from "./snapshot.ts";

let bench: CliBench;
let target: InstallTarget;
const own = publishedCommand();
beforeEach(openBench);
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

function openBench() {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  target = installTarget(bench.project);
}

const plan = (client: InstallClientName, single = false) =>
  planInstall({ client: CLIENTS[client], own, single }, target.files);

async function install(client: InstallClientName, single = false) {
  const planned = await plan(client, single);
  await applyInstall({ client, own, single, plan: planned }, target);
  return planned;
}

async function recordOf(client: InstallClientName) {
  const record = await target.records.read(client);
  if (record === undefined) throw new Error("nothing is installed");
  return record;
}

async function uninstall(client: InstallClientName) {
  const planned = await planUndo(await recordOf(client), target);
  await applyUndo(planned, target);
  return planned;
}

const json = (path: string) => JSON.parse(readFileSync(join(bench.project, path), "utf8"));

const SERVERS = `{
  // what we use
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "@x/github"], "env": { "TOKEN": "\${TOKEN}" } },
\t"docs":   {"type":"http","url":"https://docs.example/mcp"}, // odd spacing stays
  },
}
`;

const FILES = {
  "claude-code": { servers: ".mcp.json", hooks: ".claude/settings.local.json" },
  cursor: { servers: ".cursor/mcp.json", hooks: ".cursor/hooks.json" },
  vscode: { servers: ".vscode/mcp.json", hooks: undefined },
} as const;

describe.each(["claude-code", "cursor", "vscode"] as const)("installing for %s", (client) => {
  const { servers, hooks } = FILES[client];
  const key = client === "vscode" ? "servers" : "mcpServers";
  const text = SERVERS.replace("mcpServers", key);

  describe.each([false, true])("with one entry for all: %s", (single) => {
    test("and uninstalling restores every byte and every permission", async () => {
      bench.write(servers, text, 0o600);
      chmodSync(join(bench.project, servers), 0o600);
      if (hooks !== undefined) bench.write(hooks, `{\r\n    "permissions": {"allow": ["Bash(ls)"]}\r\n}`);
      const before = snapshotOf(bench.project);
      await install(client, single);
      expect(snapshotOf(bench.project)).not.toEqual(before);
      expect((await uninstall(client)).files.every(({ isExact }) => isExact)).toBe(true);
      expect(snapshotOf(bench.project)).toEqual(before);
    });

    test("and uninstalling removes new files and folders", async () => {
      const before = snapshotOf(bench.project);
      await install(client, single);
      await uninstall(client);
      expect(snapshotOf(bench.project)).toEqual(before);
    });
  });

  test("replaces every server with a wrapper of the same name, and moves the server behind the gateway", async () => {
    bench.write(servers, text);
    const { moved } = await install(client);
    expect([...moved.keys()]).toEqual(["github", "docs"]);
    const now = readFileSync(join(bench.project, servers), "utf8");
    expect(now).toContain("// what we use");
    expect(now).toContain("// odd spacing stays");
    expect(now).toMatch(/"-y",\s+"toolkeep@\d+\.\d+\.\d+",\s+"gateway"/);
    expect(json(".toolkeep/mcp.json").mcpServers).toEqual({
      github: { command: "npx", args: ["-y", "@x/github"], env: { TOKEN: `\${TOKEN}` } },
      docs: { type: "http", url: "https://docs.example/mcp" },
    });
  });

  test("and uninstalling removes only our own changes from an edited file, and reports it", async () => {
    bench.write(servers, text);
    await install(client);
    const file = join(bench.project, servers);
    writeFileSync(file, readFileSync(file, "utf8").replace("// what we use", "// what we all use"));
    const undone = await uninstall(client);
    expect(undone.files.find(({ path }) => path === servers)).toMatchObject({
      isExact: false,
      conflicts: [],
    });
    const now = readFileSync(file, "utf8");
    expect(now).toContain("// what we all use");
    expect(now).not.toContain("toolkeep");
    expect(now).toContain("@x/github");
  });

  test("and uninstalling keeps an edited entry", async () => {
    bench.write(servers, text);
    await install(client);
    const file = join(bench.project, servers);
    writeFileSync(file, readFileSync(file, "utf8").replace('"--wrap"', '"--wrap-it"'));
    const undone = await uninstall(client);
    expect(undone.files.find(({ path }) => path === servers)?.conflicts).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toContain("--wrap-it");
  });

  test("can continue or be undone after an interruption at any file", async () => {
    const count = (await planWith(text)).files.length;
    for (const after of Array.from({ length: count + 1 }).keys()) {
      for (const way of ["finish", "undo"] as const) {
        bench.remove();
        openBench();
        const before = await planWith(text).then(() => snapshotOf(bench.project));
        await install(client);
        const whole = snapshotOf(bench.project);
        const record = await recordOf(client);
        await target.records.write({ ...record, state: "writing" });
        for (const file of record.files.slice(after)) {
          if (file.before === undefined) rmSync(join(bench.project, file.path));
          else writeFileSync(join(bench.project, file.path), text);
        }
        if (way === "finish") {
          await finishInstall({ ...record, state: "writing" }, target);
          expect(snapshotOf(bench.project)).toEqual(whole);
        } else {
          await uninstall(client);
          expect(snapshotOf(bench.project)).toEqual(before);
        }
      }
    }
  });

  async function planWith(content: string) {
    bench.write(servers, content);
    return plan(client);
  }
});

test("two clients share the moved servers until the last one is uninstalled", async () => {
  bench.write(".mcp.json", SERVERS);
  bench.write(".cursor/mcp.json", SERVERS);
  const before = snapshotOf(bench.project);
  await install("claude-code");
  await install("cursor");
  await uninstall("claude-code");
  expect(json(".toolkeep/mcp.json").mcpServers).toHaveProperty("github");
  await uninstall("cursor");
  expect(snapshotOf(bench.project)).toEqual(before);
});

test("a different server with the name of a moved one does not move", async () => {
  bench.write(".mcp.json", SERVERS);
  bench.write(".cursor/mcp.json", SERVERS.replace("@x/github", "@y/github"));
  await install("claude-code");
  const { moved, notes } = await install("cursor");
  expect([...moved.keys()]).toEqual(["docs"]);
  expect(notes.join()).toContain("another server of that name");
});

test("the moved servers get the permissions of the client's file", async () => {
  bench.write(".mcp.json", SERVERS);
  chmodSync(join(bench.project, ".mcp.json"), 0o600);
  await install("claude-code");
  const modeOf = (path: string) => statSync(join(bench.project, path)).mode & 0o777;
  expect(modeOf(".toolkeep/mcp.json")).toBe(0o600);
  const kept = target.records.folder;
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(statSync(join(kept, "claude-code.1.before")).mode & 0o777).toBe(0o600);
});

test.each([".mcp.json", ".claude"])(
  "does not write through %s if it is a link out of the project",
  async (name) => {
    const outside = join(bench.base, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "x.json"), SERVERS);
    symlinkSync(name === ".claude" ? outside : join(outside, "x.json"), join(bench.project, name));
    await expect(install("claude-code")).rejects.toThrow("a link that leads out of the project");
    expect(readFileSync(join(outside, "x.json"), "utf8")).toBe(SERVERS);
    expect(existsSync(join(outside, "settings.local.json"))).toBe(false);
  },
);

test("a record that names another file than the client's is an error", async () => {
  bench.write(".mcp.json", SERVERS);
  await install("claude-code");
  const record = await recordOf("claude-code");
  const [first] = record.files;
  if (first === undefined) throw new Error("no file");
  await target.records.write({ ...record, files: [{ ...first, path: ".git/config" }] });
  await expect(uninstall("claude-code")).rejects.toThrow("not a file of this client");
});

test("a file that is not JSON is not changed", async () => {
  bench.write(".mcp.json", "{ nonsense");
  const before = snapshotOf(bench.project);
  await expect(install("claude-code")).rejects.toThrow("not valid JSON");
  expect(snapshotOf(bench.project)).toEqual(before);
});

test("servers that the gateway does not support do not move, and a note says why", async () => {
  const servers = {
    old: { type: "sse", url: "https://x.example/sse" },
    "odd name": { command: "x" },
    toolkeep: { command: "evil" },
    asks: { command: "x", args: [`\${input:key}`] },
    fromFile: { command: "x", envFile: ".env" },
    helped: { url: "https://x.example/mcp", headersHelper: "x" },
    off: { command: "x", disabled: true },
    notOn: { command: "x", enabled: false },
    ours: { command: "npx", args: [...own.slice(1), "gateway", "--wrap", "ours"] },
  };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: servers }));
  const { notes, moved } = await plan("claude-code");
  expect(moved.size).toBe(0);
  expect(notes).toHaveLength(8);
});
