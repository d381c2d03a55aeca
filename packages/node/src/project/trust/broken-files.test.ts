import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile } from "../../../../../tests/temporary-folder.ts";
import {
  fieldsOf,
  namesIn,
  type ProjectOnDisk,
  projectOnDisk,
  toolText,
} from "../tool-folders/project-on-disk.test.kit.ts";
import type { FolderDiagnostic } from "./folder-diagnostic.ts";

/** Node cannot create one. */
const MAKE_PIPE = "mkfifo";

const isRoot = process.getuid?.() === 0;

let disk: ProjectOnDisk;

beforeEach(() => {
  disk = projectOnDisk();
  putFile(disk.tool("good.ts"), toolText("good"));
});

function lineOf({ layer, file, line, message, hint }: FolderDiagnostic): string {
  const address = line === undefined ? file : `${file}:${line}`;
  return `${layer} ${address}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
}

async function errorOf(options: Parameters<ProjectOnDisk["open"]>[1] = {}) {
  const { registry, source } = disk.open("trust", options);
  const { errors } = await source.enter(disk.project);
  return { names: namesIn(registry), errors: errors.map(lineOf) };
}

describe("a broken file gives a diagnostic, and the others load", () => {
  test.each([
    ["a syntax error", "const = 3;", /bad\.ts:1: It failed while it was loaded: .*Unexpected token/],
    ["one that throws", "\n\nthrow new Error('boom');", /bad\.ts:3: It failed while it was loaded: boom$/],
    [
      "one that throws a value without a message",
      "throw { get message() { throw 1; } };",
      /something without a message/,
    ],
    ["one that throws nothing", "throw undefined;", /It failed while it was loaded: undefined/],
    ["an import of what is not there", "import './nowhere';", /Cannot find module '.\/nowhere'/],
    ["one that awaits", "export const a = await Promise.resolve(1);", /It awaits something at its top level/],
    ["one that ends the process", "process.exit(7);", /It tried to end the process/],
    [
      "one without exports",
      "const a = 1;",
      /It exports no tool and registers none\. Make it with `defineTool`/,
    ],
    ["a plain object", "export default { name: 'x', execute() {} };", /It exports "x", which is no tool yet/],
    [
      "a list with something else",
      `${toolText("a").replace("export default", "const a =")} export default [a, {}];`,
      /A list it exports contains something that is not a tool/,
    ],
    [
      "an invalid schema",
      `import { defineTool } from "@toolkeep/core";
export default defineTool({ ${fieldsOf("bad")}, inputSchema: { type: "text" }, execute() {} });`,
      /The tool "bad" is not valid: \/inputSchema/,
    ],
    [
      "a tool that claims to be remote",
      `import { defineTool } from "@toolkeep/core";
export default defineTool({ ${fieldsOf("bad")}, remote: { serverId: "s", tool: "t" }, execute() {} });`,
      /Remote tools are declared by the MCP client alone/,
    ],
  ])("%s", async (_what, text, expected) => {
    putFile(disk.tool("bad.ts"), text);
    const { names, errors } = await errorOf({ limits: { loadMs: 60_000 } });
    expect(names).toContain("good");
    expect(errors).toEqual([expect.stringMatching(expected)]);
  });

  test("an endless loop", async () => {
    // On a busy machine, the time can be too short for a good file.
    await rm(disk.tool("good.ts"));
    putFile(disk.tool("bad.ts"), "for (;;) {}");
    const { errors } = await errorOf({ limits: { loadMs: 2_000 } });
    expect(errors).toEqual([
      expect.stringMatching(/bad\.ts: .*did not end within 2000 ms\. Do slow work in `init`\./),
    ]);
  });

  test("a diagnostic does not quote the file", async () => {
    putFile(disk.tool("bad.ts"), 'const key = "s3cret-in-the-file" const b;');
    const { errors } = await errorOf();
    expect(errors).toHaveLength(1);
    expect(errors.join()).not.toContain("s3cret");
  });

  test("a file that is too large is not read, and a folder with too many files is cut", async () => {
    putFile(disk.tool("large.ts"), `// ${"x".repeat(2_000)}\n${toolText("large")}`);
    const large = await errorOf({ limits: { bytes: 1_000 } });
    expect(large).toEqual({ names: ["good"], errors: [expect.stringMatching(/larger than 1000 bytes/)] });
    const many = await errorOf({ limits: { files: 1 } });
    expect(many).toEqual({
      names: ["good"],
      errors: [expect.stringMatching(/only the first 1 are looked at/)],
    });
  });

  test("an invalid limit is an error of the host application", () => {
    expect(() => disk.open("trust", { limits: { loadMs: 0 } })).toThrow(/`loadMs` must be a whole number/);
  });
});

describe("files that another user could have written are refused unread", () => {
  test("a link that leads out of the folder, but not one within", async () => {
    putFile(join(disk.top, "outside.ts"), toolText("outside"));
    await symlink(join(disk.top, "outside.ts"), disk.tool("link.ts"));
    putFile(disk.tool("_inner.ts"), toolText("inner"));
    await symlink("_inner.ts", disk.tool("within.ts"));
    const { names, errors } = await errorOf();
    expect(names).toEqual(["good", "inner"]);
    expect(errors).toEqual([
      expect.stringMatching(/link\.ts: Refused: it is a link that leads out of its folder/),
    ]);
  });

  test("a folder of tools that is a link out of the project", async () => {
    await rename(join(disk.project, ".toolkeep"), join(disk.top, "elsewhere"));
    await symlink(join(disk.top, "elsewhere"), join(disk.project, ".toolkeep"));
    const { names, errors } = await errorOf();
    expect(names).toEqual([]);
    expect(errors).toEqual([
      expect.stringMatching(/tools: Refused: it is a link that leads out of the project/),
    ]);
  });

  test("a pipe is not waited for", async () => {
    execFileSync(MAKE_PIPE, [disk.tool("pipe.ts")]);
    expect(await errorOf()).toEqual({ names: ["good"], errors: [expect.stringMatching(/it is not a file/)] });
  });

  test("a file that everybody may write to, and one that a tool imports", async () => {
    putFile(disk.tool("open.ts"), toolText("open"));
    await chmod(disk.tool("open.ts"), 0o666);
    putFile(disk.tool("user.ts"), `import "./_open";\n${toolText("user")}`);
    putFile(disk.tool("_open.ts"), "export const ran = ((globalThis as any).openRan = true);");
    await chmod(disk.tool("_open.ts"), 0o666);
    const { names, errors } = await errorOf();
    expect(names).toEqual(["good"]);
    expect(errors).toEqual([
      expect.stringMatching(/open\.ts: Refused: everybody may write to it; take that away with `chmod o-w`/),
      expect.stringMatching(/user\.ts:1: .*It imports ".*_open\.ts", which is refused: everybody may write/),
    ]);
    expect(globalThis).not.toHaveProperty("openRan");
  });

  test("a folder that everybody may write to, at any height in the project", async () => {
    await chmod(join(disk.project, ".toolkeep"), 0o777);
    const { names, errors } = await errorOf();
    expect(names).toEqual([]);
    expect(errors).toEqual([
      expect.stringMatching(/tools: Refused: of the folder ".*\.toolkeep": everybody may/),
    ]);
  });

  test.skipIf(!isRoot)("files of another user, unless they are named (needs root to make one)", async () => {
    putFile(disk.tool("theirs.ts"), toolText("theirs"));
    await chown(disk.tool("theirs.ts"), 12_345, 12_345);
    const { names, errors } = await errorOf();
    expect(names).toEqual(["good"]);
    expect(errors).toEqual([
      expect.stringMatching(/theirs\.ts: Refused: it belongs to another user \(12345\)/),
    ]);
    expect(await errorOf({ owners: [12_345] })).toEqual({ names: ["good", "theirs"], errors: [] });
  });

  test("a folder that is not there is empty, and one that is a file too", async () => {
    const { source } = disk.open("trust", { userFolder: join(disk.top, "nowhere") });
    expect(await source.start()).toEqual({ added: [], changed: [], removed: [], errors: [] });
    await mkdir(join(disk.top, "odd", ".toolkeep"), { recursive: true });
    putFile(join(disk.top, "odd", ".toolkeep", "tools"), "a file");
    expect((await source.enter(join(disk.top, "odd"))).errors).toEqual([]);
  });
});
