import { join } from "node:path";
import { createRegistry, createSession, sharedRegistry } from "@toolkeep/core";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust } from "../trust/project-trust.ts";
import { openToolFolders } from "./open-tool-folders.ts";
import { namesIn, type ProjectOnDisk, projectOnDisk, said } from "./project-on-disk.test.kit.ts";

let disk: ProjectOnDisk;
beforeEach(() => {
  disk = projectOnDisk();
});
const IMPORT = 'import { registerTool } from "@toolkeep/core";';
const REST = 'description: "Says a word.", inputSchema: { type: "object" }, requires: {}';

/** Registers with one call, and exports nothing. */
function calling(name: string, says = name): string {
  return `${IMPORT}
registerTool({ name: "${name}", ${REST}, mode: "read", gated: false, execute: () => ${JSON.stringify(says)} });
`;
}

describe("[C119] a file of a tools folder", () => {
  test("registers with one call at module level, and an edit replaces what it registered", async () => {
    putFile(disk.tool("a.ts"), calling("one") + calling("two").replace(IMPORT, ""));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    expect(namesIn(registry)).toEqual(["one", "two"]);
    expect(registry.get("one")?.origin).toEqual({ layer: "project", source: "folder", id: "tools/a.ts" });
    putFile(disk.tool("a.ts"), calling("one", "again"));
    expect(await source.reload()).toMatchObject({ changed: ["one"], removed: ["two"], errors: [] });
    expect(await said(registry, "one")).toBe("again");
  });

  test("registers with a decorator on a method, whose mode is the one it is given", async () => {
    putFile(
      disk.tool("calendar.ts"),
      `${IMPORT}
export class Calendar {
  static readonly word = "events of";
  @registerTool({ description: "Lists events.", inputSchema: { type: "object" }, requires: {}, mode: "safe_write" })
  static list_events({ day }: { day: string }, ctx: { toolName: string }): string {
    return [this.word, day, ctx.toolName].join(" ");
  }
  @registerTool({ name: "drop_events", ${REST} })
  static drop(): string { return "dropped"; }
}
`,
    );
    const { registry, source } = disk.open();
    expect((await source.enter(disk.project)).errors).toEqual([]);
    expect(registry.get("list_events")?.tool).toMatchObject({ mode: "safe_write", isModeGuessed: false });
    expect(registry.get("drop_events")?.tool).toMatchObject({ mode: "destructive", isModeGuessed: true });
    await using session = await createSession({ registry, policy: { mode: "yolo" } });
    const { data, failure } = await session.call("list_events", { day: "monday" });
    expect({ data, failure }).toEqual({ data: "events of monday list_events", failure: undefined });
  });

  test("says what to write where a method cannot be registered", async () => {
    putFile(disk.tool("a.ts"), `${IMPORT}\nexport class A { @registerTool({ ${REST} }) one() {} }\n`);
    const { registry, source } = disk.open();
    const { errors } = await source.enter(disk.project);
    expect(errors).toMatchObject([{ message: expect.stringContaining("Write `static` before its name.") }]);
    expect(namesIn(registry)).toEqual([]);
  });

  test("is skipped if its name begins with `_`, and what it registers for others is theirs", async () => {
    putFile(disk.tool("_shared.ts"), calling("shared"));
    const { registry, source } = disk.open();
    await source.enter(disk.project);
    expect(namesIn(registry)).toEqual([]);
    putFile(disk.tool("a.ts"), `import "./_shared";\n${calling("own")}`);
    await source.reload();
    expect(registry.inspect().map(({ name, origin }) => [name, origin.id])).toEqual([
      ["shared", "tools/a.ts"],
      ["own", "tools/a.ts"],
    ]);
  });

  test("[C27] registers nothing before its project is trusted, and nothing if it fails later on", async () => {
    putFile(disk.tool("a.ts"), `${calling("one")}throw new Error("late");\n`);
    const declined = disk.open("decline");
    await declined.source.enter(disk.project);
    expect(namesIn(declined.registry)).toEqual([]);
    const { registry, source } = disk.open();
    expect((await source.enter(disk.project)).errors).toMatchObject([{ message: /late/ }]);
    expect(namesIn(registry)).toEqual([]);
  });

  test("registers for its own workspace alone, and leaving that takes away what it brought", async () => {
    const other = projectOnDisk();
    putFile(disk.tool("a.ts"), calling("same", "first"));
    putFile(other.tool("a.ts"), calling("same", "second") + calling("more").replace(IMPORT, ""));
    putFile(join(disk.userFolder, "mine.ts"), calling("mine"));
    const [one, two] = [disk.open(), other.open()];
    await Promise.all([one.source.start(), one.source.enter(disk.project), two.source.enter(other.project)]);
    expect([namesIn(one.registry), namesIn(two.registry)]).toEqual([
      ["mine", "same"],
      ["more", "same"],
    ]);
    expect([await said(one.registry, "same"), await said(two.registry, "same")]).toEqual(["first", "second"]);
    await one.source.leave();
    expect([namesIn(one.registry), namesIn(two.registry)]).toEqual([["mine"], ["more", "same"]]);
    expect(namesIn(sharedRegistry)).toEqual([]);
  });

  test("registers nothing once it is loaded, and does not reach the registry of the process", async () => {
    putFile(
      disk.tool("a.ts"),
      `import * as core from "@toolkeep/core";
const more = { name: "late", ${REST}, execute: () => "" };
const late = () => { try { core.registerTool(more); } catch (error) { return error.message; } };
core.registerTool({ name: "a", ${REST}, execute: late });
if ("sharedRegistry" in core && core.sharedRegistry !== undefined) throw new Error("reached");
`,
    );
    const registry = createRegistry();
    const trust = createProjectTrust({ decide: () => "once" });
    await using source = openToolFolders({ registry, trust, userFolder: false });
    expect((await source.enter(disk.project)).errors).toEqual([]);
    await using session = await createSession({ registry, policy: { mode: "yolo" } });
    expect((await session.call("a", {})).data).toContain(
      '"late" must be registered while its file is loaded',
    );
    expect([...namesIn(registry), ...namesIn(sharedRegistry)]).toEqual(["a"]);
  });
});
