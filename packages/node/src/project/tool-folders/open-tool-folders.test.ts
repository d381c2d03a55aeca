import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createRegistry, defineTool } from "@toolkeep/core";
import { describeContract } from "@toolkeep/core/formats";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import { openToolFolders } from "./open-tool-folders.ts";
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

test("[C120] files are loaded where the contract says and if they are what it says, and no others", async () => {
  const { discoveryRules } = describeContract(bundledTool("any"));
  const { folders, extensions, skipped, limits } = discoveryRules;
  const evaluated = globalThis as { skippedRan?: boolean };
  const wanted: string[] = [];
  for (const { layer, path } of folders) {
    const folder = layer === "user" ? join(disk.top, "config", path) : join(disk.project, path);
    for (const [index, extension] of extensions.entries()) {
      const name = `${layer}${index}`;
      wanted.push(name);
      putFile(join(folder, `${name}${extension}`), jsText(name));
      const others = [
        ...skipped.beginnings.map((one) => one + name),
        ...skipped.endings.map((one) => name + one),
      ];
      const all = [...others.map((one) => one + extension), `${name}.txt`, `inner/${name}${extension}`];
      for (const one of all) putFile(join(folder, one), "globalThis.skippedRan = true;");
    }
  }
  putFile(join(disk.userFolder, "large.js"), `${jsText("large")}//${"x".repeat(limits.bytes)}`);
  const { registry, source } = disk.open();
  const started = await source.start();
  const entered = await source.enter(disk.project);
  expect(namesIn(registry)).toEqual(wanted.toSorted());
  expect(evaluated.skippedRan).toBeUndefined();
  expect([...started.errors, ...entered.errors].map(({ file }) => file)).toEqual([
    "tools/large.js",
    "tools/large.js",
  ]);
});

describe("layers", () => {
  test("[C18] a project's tool shadows the user's, and that shadows the bundled one, by name", async () => {
    putFile(join(disk.userFolder, "a.ts"), toolText("greet", "user"));
    putFile(disk.tool("b.ts"), toolText("greet", "project"));
    const { registry, source } = disk.open();
    registry.register(bundledTool("greet"), { origin: { layer: "bundled", source: "bundled" } });
    const origins = () => registry.inspect().map(({ origin }) => `${origin.layer} ${origin.id ?? ""}`);
    expect(origins()).toEqual(["bundled "]);
    await source.start();
    expect(origins()).toEqual(["user tools/a.ts"]);
    expect(await said(registry, "greet")).toBe("user");
    await source.enter(disk.project);
    expect(origins()).toEqual(["project tools/b.ts"]);
    expect(await said(registry, "greet")).toBe("project");
    expect(registry.inspect()[0]?.shadows.map(({ layer }) => layer)).toEqual(["bundled", "user"]);
    await source.close();
    expect(origins()).toEqual(["bundled "]);
    expect(await said(registry, "greet")).toBe("bundled");
  });

  test("[C121] no session starts while a file may have been written by others, or shadows a tool and is invalid", async () => {
    putFile(disk.tool("open.ts"), toolText("open"));
    putFile(disk.tool("shadow.ts"), toolText("greet").replace('"object"', '"objekt"'));
    putFile(disk.tool("broken.ts"), "const = 1;");
    await chmod(disk.tool("open.ts"), 0o666);
    const { registry, source } = disk.open();
    registry.register(bundledTool("greet"), { origin: { layer: "bundled", source: "bundled" } });
    const { errors } = await source.enter(disk.project);
    expect(errors.map(({ file }) => file)).toEqual(["tools/broken.ts", "tools/open.ts", "tools/shadow.ts"]);
    await expect(said(registry, "greet")).rejects.toThrow(/trust:.*open\.ts[\s\S]*shadowing:.*shadow\.ts/);
    await expect(said(registry, "greet")).rejects.not.toThrow(/broken\.ts/);
    await chmod(disk.tool("open.ts"), 0o644);
    putFile(disk.tool("shadow.ts"), toolText("greet", "valid"));
    await source.reload();
    expect([await said(registry, "greet"), await said(registry, "open")]).toEqual(["valid", "open"]);
    await chmod(disk.tool("open.ts"), 0o666);
    await source.reload();
    await expect(said(registry, "greet")).rejects.toThrow(/trust:/);
    await source.leave();
    expect(await said(registry, "greet")).toBe("bundled");
  });

  test("a locked name keeps its parameters, and the diagnostic stays until the file changes", async () => {
    const changedShape = toolText("greet").replace(
      '{ type: "object" }',
      '{ type: "object", required: ["x"] }',
    );
    putFile(disk.tool("greet.ts"), changedShape);
    const { registry, source } = disk.open();
    registry.register(bundledTool("greet"), {
      origin: { layer: "bundled", source: "bundled" },
      locked: true,
    });
    const { errors } = await source.enter(disk.project);
    expect(errors).toMatchObject([{ layer: "project", file: "tools/greet.ts", message: /is locked/ }]);
    expect((await source.reload()).errors).toEqual(errors);
    expect(registry.get("greet")?.origin.layer).toBe("bundled");
    await expect(said(registry, "greet")).rejects.toThrow(/shadowing: "greet"/);
    putFile(disk.tool("greet.ts"), toolText("greet", "same shape"));
    expect(await source.reload()).toMatchObject({ changed: ["greet"], errors: [] });
    expect(await said(registry, "greet")).toBe("same shape");
  });

  test("[C25] the user's tools load at the start, a project's on entry, and leaving takes away only those", async () => {
    putFile(join(disk.userFolder, "mine.ts"), toolText("mine"));
    putFile(join(disk.userFolder, "_parts.ts"), "throw new Error('must not be loaded');");
    putFile(disk.tool("ours.ts"), toolText("ours"));
    putFile(disk.tool("_draft.ts"), toolText("draft"));
    const { registry, source } = disk.open();
    expect(await source.start()).toMatchObject({ added: ["mine"], errors: [] });
    expect(namesIn(registry)).toEqual(["mine"]);
    expect(await source.enter(disk.project)).toMatchObject({ added: ["ours"], errors: [] });
    expect(namesIn(registry)).toEqual(["mine", "ours"]);
    expect(await source.leave()).toMatchObject({ removed: ["ours"] });
    expect(namesIn(registry)).toEqual(["mine"]);
  });

  test("entering another project leaves the one before", async () => {
    const other = join(disk.top, "other");
    putFile(disk.tool("one.ts"), toolText("one"));
    putFile(join(other, ".toolkeep", "tools", "two.ts"), toolText("two"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    expect(await source.enter(other)).toMatchObject({ added: ["two"], removed: ["one"] });
    expect(namesIn(registry)).toEqual(["two"]);
  });

  test("[C27] tools of a project that was declined, or that no user could be asked about, are not loaded", async () => {
    putFile(disk.tool("ours.ts"), toolText("ours"));
    const declined = disk.open("decline");
    const report = await declined.source.enter(disk.project);
    expect(report).toMatchObject({ added: [], untrusted: "it was declined" });
    expect(namesIn(declined.registry)).toEqual([]);
    const registry = createRegistry();
    const headless = createProjectTrust({ store: trustStore(join(disk.top, "trust.json")) });
    const source = openToolFolders({ registry, trust: headless, userFolder: false });
    expect((await source.enter(disk.project)).untrusted).toMatch(/there is no user to ask/);
    expect(namesIn(registry)).toEqual([]);
    const trusted = disk.open("trust");
    await trusted.source.enter(disk.project);
    expect(namesIn(trusted.registry)).toEqual(["ours"]);
  });
});

describe("what a file may be", () => {
  test("[C26] a tool need not be named like its file, and a file may bring several, by default or by name", async () => {
    const make = `const make = (name) => defineTool({ ${fieldsOf("x")}, name, execute: () => name });`;
    putFile(
      disk.tool("several.mjs"),
      `import { defineTool } from "@toolkeep/core"; ${make}
export const limit = 3; export const first = make("first"); export default [make("second"), make("third"), first];`,
    );
    putFile(disk.tool("again.js"), `export { fourth } from "./_inner"; export const note = "no tool";`);
    putFile(disk.tool("_inner.ts"), toolText("fourth").replace("export default", "export const fourth ="));
    putFile(
      disk.tool("plain.js"),
      `const { defineTool } = require("@toolkeep/core"); ${make} module.exports = make("fifth");`,
    );
    putFile(disk.tool("typed.mts"), toolText("sixth"));
    const { registry, source } = disk.open();
    expect((await source.enter(disk.project)).errors).toEqual([]);
    expect(namesIn(registry)).toEqual(["fifth", "first", "fourth", "second", "sixth", "third"]);
    expect(await said(registry, "second")).toBe("second");
  });

  test("declarations, tests, hidden files, folders and other endings are passed over", async () => {
    for (const name of [
      "a.d.ts",
      "a.test.ts",
      "b.spec.js",
      ".hidden.ts",
      "notes.md",
      "x.json",
      "y.ts/z.ts",
    ]) {
      putFile(disk.tool(name), "throw new Error('must not be loaded');");
    }
    const { source } = disk.open();
    expect(await source.enter(disk.project)).toMatchObject({ added: [], errors: [] });
  });

  test("tools throw and return what our own core recognizes, although the project has none installed", async () => {
    const text = `import { defineTool, ToolFailure, CORE_VERSION } from "@toolkeep/core";
export default defineTool({ ${fieldsOf("fails")}, execute() { throw new ToolFailure("not_found", CORE_VERSION); } });`;
    putFile(disk.tool("fails.ts"), text);
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    expect(await said(registry, "fails")).toBe("not_found");
  });

  test("of two files with one tool the first by name has it, until it goes", async () => {
    putFile(disk.tool("a.ts"), toolText("greet", "from a"));
    putFile(disk.tool("b.ts"), toolText("greet", "from b"));
    const { registry, source } = disk.open();
    const { errors } = await source.enter(disk.project);
    expect(errors).toMatchObject([
      { file: "tools/b.ts", message: 'The name "greet" is taken by tools/a.ts.' },
    ]);
    expect(registry.get("greet")?.origin.id).toBe("tools/a.ts");
    await expect(said(registry, "greet")).rejects.toThrow(/shadowing: "greet"/);
    putFile(disk.tool("a.ts"), toolText("other"));
    expect(await source.reload()).toMatchObject({ added: ["other"], changed: ["greet"], errors: [] });
    expect(await said(registry, "greet")).toBe("from b");
  });
});

function jsText(name: string): string {
  return `import { defineTool } from "@toolkeep/core";
export default defineTool({ ${fieldsOf(name)}, execute: () => "" });
`;
}

function bundledTool(name: string) {
  return defineTool({
    name,
    description: "Returns a text.",
    inputSchema: { type: "object" },
    requires: {},
    execute: () => "bundled",
  });
}
