import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type ProjectTrust } from "../trust/project-trust.ts";
import { readInstructions } from "./read-instructions.ts";

let project: string;
let outside: string;

beforeEach(() => {
  const root = temporaryFolder();
  project = join(root, "project");
  outside = join(root, "outside");
  for (const folder of [project, outside, join(project, "packages/web/src")])
    mkdirSync(folder, { recursive: true });
});

const TRUSTED: Pick<ProjectTrust, "of"> = { of: async (path) => ({ isTrusted: true, project: path }) };
const EMPTY = {
  get: async () => undefined,
  set: async () => {},
  delete: async () => {},
  list: async () => new Map(),
};
const put = (folder: string, text: string) => writeFileSync(join(project, folder, "AGENTS.md"), text);
const read = (options: Partial<Parameters<typeof readInstructions>[0]> = {}) =>
  readInstructions({ project, trust: TRUSTED, folder: join(project, "packages/web/src"), ...options });

describe("the instructions of a project", () => {
  test("end where another repository begins, which has a trust of its own", async () => {
    put(".", "Root.");
    put("packages/web", "Foreign.");
    writeFileSync(join(project, "packages/web/.git"), "gitdir: elsewhere\n");
    put("packages/web/src", "Deeper.");
    const part = await read();
    expect(part).toMatchObject({ files: ["AGENTS.md"], errors: [{ code: "instructions_not_read" }] });
    expect(part.errors[0]?.message).toContain("a repository of its own");
  });

  test("are read from its root down to the folder, the nearest last", async () => {
    put(".", "Root.\n");
    put("packages/web", "\uFEFFWeb.\r\n");
    mkdirSync(join(project, "packages/other"));
    put("packages/other", "Other.");
    const part = await read();
    expect(part).toMatchObject({
      name: "AGENTS.md",
      files: ["AGENTS.md", "packages/web/AGENTS.md"],
      errors: [],
    });
    expect(part.text()).toMatch(/^# Instructions of the project\n/);
    expect(part.text().indexOf("From AGENTS.md:\n\nRoot.")).toBeGreaterThan(0);
    expect(part.text().endsWith("From packages/web/AGENTS.md:\n\nWeb.")).toBe(true);
    expect(part.text()).not.toContain("Other");
    expect((await read({ folder: project })).text()).not.toContain("Web.");
  });

  test("stay as they were when they were read, so that the prompt is the same for the whole session", async () => {
    put(".", "Root.");
    const part = await read();
    put(".", "Changed.");
    expect(part.text()).toContain("Root.");
  });

  test("are empty where there are none, and a folder elsewhere is a mistake", async () => {
    expect((await read()).text()).toBe("");
    await expect(read({ folder: outside })).rejects.toThrow("is not in the project");
  });
});

describe("[C27] nothing of a project is read before it is trusted", () => {
  test("its instructions are empty, with the reason", async () => {
    // Opening this would wait forever.
    execFileSync("mkfifo", [join(project, "AGENTS.md")]);
    put("packages/web", "Follow this.");
    const part = await read({ trust: createProjectTrust({ store: EMPTY }) });
    expect(part.text()).toBe("");
    expect(part.untrusted).toContain("it has not been trusted");
  });
});

describe("what is left out is said", () => {
  test("where there is too much, the nearest stay, and the text names what is missing", async () => {
    put(".", `First line.\n${"x".repeat(500)}\n`);
    put("packages", "y".repeat(90));
    put("packages/web", "z".repeat(80));
    const part = await read({ mostBytes: 200 });
    expect(part.text()).toContain("z".repeat(80));
    expect(part.text()).toContain("y".repeat(90));
    expect(part.text()).toContain(
      "First line.\n[11 of 512 bytes of AGENTS.md are shown. Read the file for the rest.]",
    );
    expect(part.text()).not.toContain("xx");
    expect(part.errors).toMatchObject([{ code: "instructions_not_read", file: join(project, "AGENTS.md") }]);
    const none = await read({ mostBytes: 80 });
    expect(none.files).toEqual(["packages/web/AGENTS.md"]);
    expect(none.text()).toContain("[0 of 90 bytes of packages/AGENTS.md are shown.");
  });

  test("a link that leads out, a pipe, and a file that everybody may write to are refused", async () => {
    writeFileSync(join(outside, "AGENTS.md"), "Stolen.");
    symlinkSync(join(outside, "AGENTS.md"), join(project, "AGENTS.md"));
    execFileSync("mkfifo", [join(project, "packages/AGENTS.md")]);
    put("packages/web", "Anyone.");
    chmodSync(join(project, "packages/web/AGENTS.md"), 0o666);
    put("packages/web/src", "Ours.");
    const part = await read();
    expect(part.files).toEqual(["packages/web/src/AGENTS.md"]);
    expect(part.errors.map(({ message }) => message)).toEqual([
      "Refused: it is a link that leads out of its folder.",
      "Refused: it is not a file.",
      expect.stringContaining("everybody may write to it"),
    ]);
  });
});
