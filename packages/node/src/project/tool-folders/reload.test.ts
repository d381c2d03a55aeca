import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createSession, type Registry } from "@toolkeep/core";
import { pinDefinitions } from "@toolkeep/core/policy";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import {
  fieldsOf,
  namesIn,
  type ProjectOnDisk,
  projectOnDisk,
  said,
  toolText,
} from "./project-on-disk.test.kit.ts";

let disk: ProjectOnDisk;

beforeEach(() => {
  disk = projectOnDisk();
});

describe("reload", () => {
  test("sees files that were changed, removed and, once they are trusted too, added", async () => {
    putFile(disk.tool("a.ts"), toolText("a", "one"));
    putFile(disk.tool("b.ts"), toolText("b"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    expect(await source.reload()).toEqual({ added: [], changed: [], removed: [], errors: [] });
    putFile(disk.tool("a.ts"), toolText("a", "two"));
    await rm(disk.tool("b.ts"));
    putFile(disk.tool("c.ts"), toolText("c"));
    expect(await source.reload()).toEqual({ added: ["c"], changed: ["a"], removed: ["b"], errors: [] });
    expect(await said(registry, "a")).toBe("two");
    expect(disk.asked.map(({ why, things }) => [why, things])).toEqual([
      ["new", []],
      ["grown", [".toolkeep/tools/c.ts"]],
    ]);
  });

  test("unloads the project when the user does not trust what was added", async () => {
    putFile(disk.tool("a.ts"), toolText("a"));
    const trusted = disk.open("trust");
    await trusted.source.enter(disk.project);
    const { registry, source } = disk.open("decline");
    await source.enter(disk.project);
    expect(namesIn(registry)).toEqual(["a"]);
    putFile(disk.tool("planted.ts"), "(globalThis as any).plantedRan = true;");
    expect(await source.reload()).toMatchObject({ removed: ["a"], untrusted: "it was declined" });
    expect(namesIn(registry)).toEqual([]);
    expect(await source.reload()).toMatchObject({ untrusted: "it was declined" });
    expect(globalThis).not.toHaveProperty("plantedRan");
  });

  test.each([
    ["a TypeScript file", "_lib.ts", (word: string) => `export default "${word}";`],
    ["an ES module", "_lib.mjs", (word: string) => `export default "${word}";`],
    ["CommonJS", "_lib.cjs", (word: string) => `module.exports = "${word}";`],
    ["data", "_lib.json", (word: string) => JSON.stringify({ word })],
    ["a file elsewhere in the project", "../../src/lib.ts", (word: string) => `export default "${word}";`],
  ])("sees edits in %s that a tool imports", async (_what, name, text) => {
    const path = name.startsWith("..") ? name : `./${name}`;
    const word = name.endsWith(".json") ? "lib.word" : "lib";
    const body = `export default defineTool({ ${fieldsOf("a")}, execute: () => ${word} });`;
    putFile(
      disk.tool("a.ts"),
      `import { defineTool } from "@toolkeep/core"; import lib from "${path}"; ${body}`,
    );
    putFile(disk.tool(name), text("one"));
    const { registry, source } = disk.open();
    expect((await source.enter(disk.project)).errors).toEqual([]);
    expect(await said(registry, "a")).toBe("one");
    const before = await pinDefinitions(registry.list());
    putFile(disk.tool(name), text("two"));
    expect(await source.reload()).toMatchObject({ changed: ["a"] });
    expect(await said(registry, "a")).toBe("two");
    // Approvals and pins are bound to the definition, so a changed tool asks again.
    expect(await pinDefinitions(registry.list())).not.toEqual(before);
    putFile(disk.tool(name), text("one"));
    await source.reload();
    expect(await pinDefinitions(registry.list())).toEqual(before);
  });

  test("keeps the last good version of a file that fails, and takes the next good one", async () => {
    putFile(disk.tool("a.ts"), toolText("a", "good"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    putFile(disk.tool("a.ts"), "const = 1;");
    const { errors, changed } = await source.reload();
    expect(changed).toEqual([]);
    expect(errors).toMatchObject([{ file: "tools/a.ts", line: 1, hint: "Its last good version stays." }]);
    expect(await said(registry, "a")).toBe("good");
    putFile(
      disk.tool("a.ts"),
      toolText("a").replace("requires: {}", 'requires: { fs: { read: ["{unknown}"] } }'),
    );
    expect((await source.reload()).errors).toMatchObject([{ message: /variable \{unknown\}/ }]);
    expect(registry.get("a")).toBeDefined();
    await expect(said(registry, "a")).rejects.toThrow(/requirements: "a"/);
    putFile(disk.tool("a.ts"), toolText("a", "better"));
    expect(await source.reload()).toMatchObject({ changed: ["a"], errors: [] });
    expect(await said(registry, "a")).toBe("better");
  });

  test("does not run a broken file again while nothing changes", async () => {
    const counts = globalThis as { brokenRuns?: number };
    putFile(
      disk.tool("a.ts"),
      "(globalThis as any).brokenRuns = ((globalThis as any).brokenRuns ?? 0) + 1; throw 1;",
    );
    const { source } = disk.open();
    await source.enter(disk.project);
    const { errors } = await source.reload();
    expect(errors).toHaveLength(1);
    expect(counts.brokenRuns).toBe(1);
    putFile(disk.tool("b.ts"), toolText("b"));
    await source.reload();
    expect(counts.brokenRuns).toBe(2);
    delete counts.brokenRuns;
  });

  test("takes away a tool whose file everybody may write to since", async () => {
    putFile(disk.tool("a.ts"), toolText("a"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    await chmod(disk.tool("a.ts"), 0o646);
    expect(await source.reload()).toMatchObject({
      removed: ["a"],
      errors: [{ message: /everybody may write/ }],
    });
    expect(namesIn(registry)).toEqual([]);
  });

  test("a hash that a file gives itself is ignored", async () => {
    const text = (word: string) =>
      toolText("a", word).replace("requires", 'codeHash: "always the same", requires');
    putFile(disk.tool("a.ts"), text("one"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    const before = registry.get("a")?.tool.codeHash;
    putFile(disk.tool("a.ts"), text("two"));
    await source.reload();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(registry.get("a")?.tool.codeHash).not.toBe(before);
  });
});

describe("a call that is running", () => {
  test("[C23] continues with the tool it began with, which is disposed when the turn is over", async () => {
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    Object.assign(globalThis, { reloadTest: { log, gate: gate.promise } });
    putFile(disk.tool("slow.ts"), slowTool("old"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    const session = await createSession({ registry, policy: [{ action: "allow", permission: "*" }] });
    const running = session.call({ id: "1", name: "slow", arguments: {} });
    await until(() => log.includes("execute old"));
    putFile(disk.tool("slow.ts"), slowTool("new"));
    expect(await source.reload()).toMatchObject({ changed: ["slow"] });
    expect(log).toEqual(["activate old", "execute old"]);
    gate.resolve();
    expect((await running).data).toBe("old");
    expect(await settledLog(registry, log)).toEqual([
      "activate old",
      "execute old",
      "deactivate old",
      "dispose old",
    ]);
    expect((await session.call({ id: "2", name: "slow", arguments: {} })).data).toBe("new");
    await source.close();
    expect((await settledLog(registry, log)).slice(-2)).toEqual(["deactivate new", "dispose new"]);
    Reflect.deleteProperty(globalThis, "reloadTest");
  });
});

describe("watching", () => {
  test("finds a changed file without being asked, and has nothing to do until then", async () => {
    putFile(disk.tool("a.ts"), `import "../../lib.ts";\n${toolText("a", "one")}`);
    putFile(join(disk.project, "lib.ts"), "export {};");
    let bursts = 0;
    const { registry, source } = disk.open("trust", {
      watch: true,
      onDirty: () => (bursts += 1),
      userFolder: false,
    });
    await source.enter(disk.project);
    await source.reload();
    await pause(20);
    expect(source.isDirty).toBe(false);
    putFile(join(disk.project, "lib.ts"), "export const changed = 1;");
    await until(() => source.isDirty && bursts > 0);
    expect(await source.reload()).toMatchObject({ changed: ["a"] });
    expect(source.isDirty).toBe(false);
    putFile(disk.tool("a.ts"), toolText("a", "two"));
    await until(() => source.isDirty);
    await source.reload();
    expect(await said(registry, "a")).toBe("two");
    await source.close();
  });
});

function slowTool(word: string): string {
  return `import { defineTool } from "@toolkeep/core";
const { log, gate } = (globalThis as any).reloadTest;
const note = (what: string) => () => { log.push(what + " ${word}"); };
export default defineTool({ ${fieldsOf("slow")}, activate: note("activate"), deactivate: note("deactivate"),
  dispose: note("dispose"), async execute() { note("execute")(); await gate; return "${word}"; } });`;
}

async function settledLog(registry: Registry, log: readonly string[]): Promise<readonly string[]> {
  await registry.settled();
  return [...log];
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 6_000) throw new Error("It did not come to that.");
    await pause(10);
  }
}
