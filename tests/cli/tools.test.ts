import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";
import { snapshotOf } from "./snapshot.ts";

/** One project for all tests: each test adds to what the one before it left. */
let bench: CliBench;
beforeAll(() => {
  bench = cliBench();
  bench.write(".toolkeep/tools/greet.js", tool("greet", 'console.error("PROJECT CODE RAN");'));
  bench.write(".toolkeep/config.jsonc", '{ "denied": ["grep"] }\n');
  const notes = { command: process.execPath, args: ["-e", "require('fs').writeFileSync('started', '')"] };
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { notes, gone: { command: "no-such-program" } } }));
  own("tools/greet.js", tool("greet"));
  own("tools/read.js", tool("read"));
  own("policy.yaml", "version: 1\nextends: [toolkeep:recommended]\nrules:\n  - deny bash\n");
  own("config.jsonc", '{\n  "tools": { "web": { "apiKey": "s3cret" } },\n  "mode": "observe"\n}\n');
});
afterAll(() => bench.remove());

function own(path: string, text: string): void {
  const file = join(bench.environment.TOOLKEEP_HOME, "config", path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

function tool(name: string, code = ""): string {
  return `${code}
import { defineTool } from "@toolkeep/core";
export default defineTool({
  name: "${name}", description: "x", inputSchema: { type: "object" }, requires: {}, execute: () => "",
});
`;
}

async function listed(...args: readonly string[]) {
  const { code, stdout, stderr } = await bench.run(["tools", "--json", ...args]);
  return { code, stderr, ...(stdout === "" ? {} : JSON.parse(stdout)) };
}

const named = (all: readonly { readonly name: string }[], name: string) =>
  all.find((one) => one.name.endsWith(name));

describe("toolkeep tools", () => {
  test("[C27] of an untrusted project it shows names, reads nothing and starts nothing", async () => {
    const before = snapshotOf(bench.base);
    const { code, stderr, tools, sources, isTrusted } = await listed();
    expect({ code, isTrusted }).toEqual({ code: 0, isTrusted: false });
    expect(stderr).not.toContain("PROJECT CODE RAN");
    expect(named(tools, "grep")).not.toHaveProperty("off");
    expect(named(sources, "greet.js")).toMatchObject({ state: "off", fix: "Run `toolkeep trust`." });
    expect(named(sources, ".mcp.json")).toMatchObject({ state: "off" });
    expect(named(sources, "notes")).toBeUndefined();
    expect(named(tools, "greet")).toMatchObject({ origin: { layer: "user" }, shadows: [] });
    expect(snapshotOf(bench.base)).toEqual(before);
  });

  test("of a trusted project it shows origin, effects, decision, what shadows what, and why something is off", async () => {
    expect((await bench.run(["trust", "--yes"])).code).toBe(0);
    await acceptServers(bench, ["gone"]);
    own("config.jsonc", "{}\n");
    const { tools, sources } = await listed();
    expect(named(tools, "greet")).toMatchObject({
      origin: { layer: "project", source: "folder" },
      effects: ["has no effects outside of the conversation"],
      decision: { action: "ask" },
      shadows: [{ layer: "user" }],
    });
    expect(named(tools, "grep")).toMatchObject({
      off: { why: expect.stringMatching(/list `denied` \(.*config\.jsonc:1\)/) },
    });
    expect(named(tools, "bash")).toMatchObject({
      decision: { action: "deny", by: "deny bash", at: expect.stringMatching(/policy\.yaml:4$/) },
      off: { fix: expect.stringContaining("policy.yaml:4") },
    });
    const read = tools.filter(({ name }: { name: string }) => name === "read");
    expect(read).toMatchObject([
      { origin: { layer: "bundled" }, decision: { action: "depends" } },
      { origin: { layer: "user" }, off: { why: expect.stringContaining("locked") } },
    ]);
    expect(named(sources, "notes")).toMatchObject({
      state: "off",
      fix: "Run `toolkeep servers accept notes`.",
    });
    expect(named(sources, "gone")).toMatchObject({ why: 'The program "no-such-program" is not installed.' });
    expect(snapshotOf(bench.project)).not.toHaveProperty("started");
  });

  test("[C120][C121] it shows where files are looked for, and which errors no session starts with", async () => {
    const { discoveryRules, tools } = await listed();
    const [yours, projects] = discoveryRules.folders;
    const shown = (await bench.run(["tools"])).stdout;
    for (const { folder } of [yours, projects]) expect(shown).toContain(folder);
    for (const one of [...discoveryRules.extensions, ...discoveryRules.skipped.beginnings])
      expect(shown).toContain(one);
    const [extension] = discoveryRules.extensions;
    writeFileSync(join(yours.folder, `added${extension}`), tool("added"), { mode: 0o600 });
    writeFileSync(join(yours.folder, `_left${extension}`), tool("left"), { mode: 0o600 });
    const after = await listed();
    expect(named(tools, "added")).toBeUndefined();
    expect(named(after.tools, "added")).toMatchObject({ origin: { layer: "user" } });
    expect(named(after.tools, "left")).toBeUndefined();
    const refused = after.tools.filter(({ name }: { name: string }) => name === "read")[1];
    expect(refused).toMatchObject({ off: { category: "shadowing" } });
    expect(shown).toContain("No session starts with it (shadowing).");
  });

  test("why says what to type, and its exit code whether the tool is there", async () => {
    const [greet, bash, none] = await Promise.all(
      ["greet", "bash", "gret"].map((name) => bench.run(["tools", "why", name])),
    );
    expect(greet).toMatchObject({ code: 0, stdout: expect.stringMatching(/^greet {2}on\n/) });
    expect(greet?.stdout).toContain("  replaces  yours");
    expect(bash).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("  do        Change the rule at "),
    });
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none?.stderr).toContain('has the name "gret"');
  });

  test.skipIf(!hasPseudoTerminal)("in a terminal it lists by origin", async () => {
    const { code, shown } = await inTerminal(`${OWN_LINE} tools`, [], {
      env: bench.environment,
      cwd: bench.project,
    });
    expect(code).toBe(0);
    expect(shown).toMatch(/Standard tools\n {2}read +depends +reads files of the project\n/);
    expect(shown).toMatch(/\nTools of the project\n {2}greet +asks /);
    expect(shown).toMatch(/\nOff\n/);
    expect(shown).toContain("Run `toolkeep servers accept notes`.");
  });
});

describe("toolkeep config show", () => {
  test("shows each value with file and line and what it overrides, and hides secrets", async () => {
    own("config.jsonc", '{\n  "tools": { "web": { "apiKey": "s3cret" } },\n  "mode": "observe"\n}\n');
    bench.write(".toolkeep/config.jsonc", '{ "denied": ["grep"],\n  "mode": "ask" }\n');
    expect((await bench.run(["trust", "--yes"])).code).toBe(0);
    const { code, stdout } = await bench.run(["config", "show", "--json"]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("s3cret");
    const { settings, policies, variables } = JSON.parse(stdout);
    const setting = (key: string) => settings.find((one: { key: string }) => one.key === key);
    expect(setting("mode")).toMatchObject({
      value: "ask",
      source: "project",
      line: 2,
      overrides: [{ value: "observe", layer: "user", line: 3 }],
    });
    expect(setting("tools.web.apiKey")).toMatchObject({ value: "…", source: "user", line: 2 });
    expect(setting("roots")).toMatchObject({ value: [], source: "default" });
    expect(policies).toMatchObject([{ layer: "user", rules: 1 }]);
    expect(variables.map(({ name }: { name: string }) => name)).toContain("TOOLKEEP_HOME");
  });

  test("an invalid file is shown with its line, and the exit code is 1", async () => {
    own("config.jsonc", '{ "mdoe": "ask" }\n');
    const { code, stdout, stderr } = await bench.run(["config", "show"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/config\.jsonc:1:3: error: Unknown key "mdoe"/);
    expect(stdout).toContain("Settings\n");
    own("config.jsonc", "{}\n");
  });
});

describe("toolkeep trust", () => {
  test("lists what is trusted with its state, and revokes it", async () => {
    bench.write(".toolkeep/config.jsonc", "{ }\n");
    const list = await bench.run(["trust", "list", "--json"]);
    expect(JSON.parse(list.stdout)).toEqual([
      {
        ...{ project: bench.project, by: "you", at: expect.any(String), state: "changed" },
        changed: [".toolkeep/config.jsonc"],
      },
    ]);
    expect(await bench.run(["trust", "revoke"])).toMatchObject({ code: 0 });
    expect(await bench.run(["trust", "list", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(await bench.run(["trust", "revoke"])).toMatchObject({ code: 1, stdout: "" });
  });
});
