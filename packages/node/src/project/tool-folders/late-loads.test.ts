import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type TrustRequest } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import type { ToolFoldersOptions } from "./open-tool-folders.ts";
import { fieldsOf, type ProjectOnDisk, projectOnDisk, said } from "./project-on-disk.test.kit.ts";

let disk: ProjectOnDisk;
let asked: string[];

beforeEach(() => {
  disk = projectOnDisk();
  asked = [];
});

const inProject = (name: string) => join(disk.project, name);

function open(options: Partial<ToolFoldersOptions> = {}) {
  const decide = ({ why, things }: TrustRequest) => {
    asked.push([why, ...things].join(" "));
    return "trust" as const;
  };
  const trust = createProjectTrust({ store: trustStore(join(disk.top, "trust.json")), decide });
  return disk.open("trust", { trust, userFolder: false, ...options });
}

/** A tool that returns what it finds when it is called, or the error. */
function finding(expression: string): string {
  return `import { createRequire } from "node:module"; import { defineTool } from "@toolkeep/core";
const own = createRequire(import.meta.url);
export default defineTool({ ${fieldsOf("a")}, execute: async () => { try { return String(${expression}); } catch (error) { return error.message; } } });`;
}

const REFUSED = /is not what was trusted/;
/** A module without anything, and with a part of a name that is no text. */
const wasm = (byte: number) => Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 3, 1, 0x61, byte]);

describe("what a tool loads when it is called", () => {
  test("is checked by its bytes if it is machine code", async () => {
    putFile(disk.tool("a.ts"), finding(`own("../../src/lib.node")`));
    putFile(inProject("src/lib.node"), "no addon");
    const { registry, source } = open();
    await source.enter(disk.project);
    expect(await said(registry, "a")).toMatch(REFUSED);
    await source.reload();
    expect(asked).toEqual(["new", "grown src/lib.node"]);
    // It came through to the loader of the machine, which knows better.
    expect(await said(registry, "a")).toMatch(/lib\.node: /);
    await writeFile(inProject("src/lib.node"), "another");
    expect(await said(registry, "a")).toMatch(REFUSED);
  });

  test("is checked by its bytes if two different files read alike", async () => {
    putFile(disk.tool("a.ts"), finding(`Object.keys(await import("../../src/lib.wasm")).length`));
    putFile(inProject("src/.keep"), "");
    await writeFile(inProject("src/lib.wasm"), wasm(0xfe));
    const { registry, source } = open();
    await source.enter(disk.project);
    expect(await said(registry, "a")).toMatch(REFUSED);
    await source.reload();
    expect(asked).toEqual(["new", "grown src/lib.wasm"]);
    await source.reload();
    expect(asked).toHaveLength(2);
    await writeFile(inProject("src/lib.wasm"), wasm(0xff));
    expect((await readFile(inProject("src/lib.wasm"))).toString()).toBe(wasm(0xfe).toString());
    expect(await said(registry, "a")).toMatch(REFUSED);
  });

  test("is asked about by the next reload, also where files are watched and none changed", async () => {
    putFile(disk.tool("a.ts"), finding(`own("../../src/" + "lib.cjs")`));
    putFile(inProject("src/lib.cjs"), `module.exports = require("./more.cjs");`);
    putFile(inProject("src/more.cjs"), `module.exports = "more";`);
    const { registry, source } = open({ watch: true });
    await source.enter(disk.project);
    await source.reload();
    await source.reload();
    expect(source.isDirty).toBe(false);
    expect(await said(registry, "a")).toMatch(REFUSED);
    expect(source.isDirty).toBe(true);
    await source.reload();
    expect(asked).toEqual(["new", "grown src/lib.cjs src/more.cjs"]);
    expect(await said(registry, "a")).toBe("more");
    await source.close();
  });

  test("tells the caller what happened, and what comes next", async () => {
    putFile(
      disk.tool("a.ts"),
      `import { createRequire } from "node:module"; import { defineTool } from "@toolkeep/core";
export default defineTool({ ${fieldsOf("a")}, execute: () => createRequire(import.meta.url)("../../src/lib.cjs") });`,
    );
    putFile(inProject("src/lib.cjs"), `module.exports = "lib";`);
    const { registry, source } = open();
    await source.enter(disk.project);
    expect(await said(registry, "a")).toBe("denied");
  });

  test("is refused once the project is not trusted any more, although the tool still runs", async () => {
    putFile(disk.tool("a.ts"), finding(`own("../../src/lib.cjs")`));
    putFile(disk.tool("b.ts"), `import "../../src/lib.cjs"; export default [];`);
    putFile(inProject("src/lib.cjs"), `module.exports = "lib";`);
    const first = open();
    await first.source.enter(disk.project);
    const tool = first.registry.get("a")?.tool;
    const declining = createProjectTrust({
      store: trustStore(join(disk.top, "other.json")),
      decide: () => "decline",
    });
    await open({ trust: declining }).source.enter(disk.project);
    expect(await tool?.execute({}, {} as never)).toMatch(REFUSED);
  });
});

test("what the host application loads itself is not checked, also in the project and after a change", async () => {
  putFile(disk.tool("a.ts"), `import "shared"; ${finding("1")}`);
  putFile(inProject("node_modules/shared/index.js"), `exports.load = (name) => require("./" + name);`);
  putFile(inProject("node_modules/shared/late.js"), `module.exports = "late";`);
  putFile(
    inProject("app/main.cjs"),
    `exports.load = () => require("./later.cjs"); exports.shared = require("shared");`,
  );
  const app = createRequire(import.meta.url)(inProject("app/main.cjs"));
  const { source } = open();
  await source.enter(disk.project);
  putFile(inProject("app/later.cjs"), `module.exports = "later";`);
  expect(app.load()).toBe("later");
  expect(app.shared.load("late.js")).toBe("late");
});
