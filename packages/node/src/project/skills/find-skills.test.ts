import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { findSkills } from "./find-skills.ts";

let root: string;
let project: string;
let user: string;

beforeEach(() => {
  root = temporaryFolder();
  project = join(root, "project");
  user = join(root, "home");
  for (const folder of [project, user]) mkdirSync(folder);
});

const TRUSTED: Pick<ProjectTrust, "of"> = { of: async (path) => ({ isTrusted: true, project: path }) };

function put(folder: string, name: string, description = `About ${name}.`, body = "Do it."): string {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
  return dirname(putFile(join(folder, name, "SKILL.md"), text));
}

const find = (trust = TRUSTED) => findSkills({ project, user, trust });

describe("skills are found", () => {
  test("in all three directories of the project and of the user, those of the project first", async () => {
    put(join(user, ".claude/skills"), "six");
    put(join(user, ".agents/skills"), "five");
    put(join(project, ".claude/skills"), "three");
    put(join(project, ".agents/skills"), "two");
    put(join(project, ".toolkeep/skills"), "one");
    put(join(user, ".toolkeep/skills"), "four");
    const skills = await find();
    expect(skills.index().map(({ name }) => name)).toEqual(["one", "two", "three", "four", "five", "six"]);
    expect(skills.index()[0]).toEqual({ name: "one", description: "About one." });
    expect(skills.errors).toEqual([]);
    expect(skills.folders[0]).toBe(join(project, ".toolkeep/skills/one"));
  });

  test("and of two with one name the first stays, and the other is named", async () => {
    put(join(project, ".agents/skills"), "review", "Ours.");
    const other = put(join(user, ".agents/skills"), "review", "Theirs.");
    const skills = await find();
    expect(skills.index()).toEqual([{ name: "review", description: "Ours." }]);
    expect(skills.errors).toMatchObject([{ layer: "user", file: other }]);
  });

  test("and one that two directories link to is one, without a diagnostic", async () => {
    const real = put(join(project, ".agents/skills"), "review");
    mkdirSync(join(project, ".claude/skills"), { recursive: true });
    symlinkSync(real, join(project, ".claude/skills/review"));
    const skills = await find();
    expect(skills.index()).toHaveLength(1);
    expect(skills.errors).toEqual([]);
  });

  test("and folders without a SKILL.md, files and hidden folders are passed over", async () => {
    const location = join(project, ".agents/skills");
    mkdirSync(join(location, "empty"), { recursive: true });
    put(location, ".hidden");
    writeFileSync(join(location, "README.md"), "x");
    expect(await find()).toMatchObject({ errors: [], folders: [] });
  });
});

describe("nothing of a project is read before it is trusted", () => {
  test("it looks empty, with the reason, and the user's skills are there", async () => {
    put(join(project, ".agents/skills"), "theirs");
    put(join(user, ".agents/skills"), "ours");
    // Opening this would wait forever.
    mkdirSync(join(project, ".claude/skills/trap"), { recursive: true });
    execFileSync("mkfifo", [join(project, ".claude/skills/trap/SKILL.md")]);
    const skills = await find({
      of: async (path) => ({ isTrusted: false, project: path, reason: "it was declined" }),
    });
    expect(skills.index().map(({ name }) => name)).toEqual(["ours"]);
    expect(skills).toMatchObject({ untrusted: "it was declined", errors: [] });
    expect(await skills.load("theirs")).toBeUndefined();
  });
});

describe("what another user could have put there is refused", () => {
  test("a link that leads out of the project: the directory, the skill or its file", async () => {
    const outside = put(join(root, "elsewhere"), "stolen");
    const location = join(project, ".agents/skills");
    mkdirSync(join(location, "file"), { recursive: true });
    symlinkSync(outside, join(location, "folder"));
    symlinkSync(join(outside, "SKILL.md"), join(location, "file/SKILL.md"));
    mkdirSync(join(project, ".claude"));
    symlinkSync(join(root, "elsewhere"), join(project, ".claude/skills"));
    const skills = await find();
    expect(skills.index()).toEqual([]);
    expect(skills.errors.map(({ message }) => message.includes("a link that leads out"))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("a file or a folder that everybody may write to", async () => {
    const location = join(project, ".agents/skills");
    chmodSync(join(put(location, "open"), "SKILL.md"), 0o666);
    chmodSync(put(location, "wide"), 0o777);
    const skills = await find();
    expect(skills.index()).toEqual([]);
    expect(skills.errors).toHaveLength(2);
    for (const { message } of skills.errors) expect(message).toContain("everybody may write to it");
  });

  test("a pipe, and a file that is too large", async () => {
    const location = join(project, ".agents/skills");
    mkdirSync(join(location, "pipe"), { recursive: true });
    execFileSync("mkfifo", [join(location, "pipe/SKILL.md")]);
    put(location, "huge", "x", "y".repeat(600_000));
    const skills = await find();
    expect(skills.index()).toEqual([]);
    expect(skills.errors.map(({ message }) => message)).toEqual([
      "Refused: it is larger than 512000 bytes.",
      "Refused: it is not a file.",
    ]);
  });
});

describe("a text is read when it is wanted", () => {
  test("as it is by then, without its head", async () => {
    const location = join(project, ".agents/skills");
    put(location, "review", "x", "Old text.");
    const skills = await find();
    put(location, "review", "x", "New text.");
    expect(await skills.load("review")).toBe("New text.");
    expect(await skills.load("other")).toBeUndefined();
  });

  test("with a list of the files that belong to it, and none behind a link", async () => {
    const folder = put(join(project, ".agents/skills"), "review", "x", "See references.");
    mkdirSync(join(folder, "references"));
    writeFileSync(join(folder, "references/style.md"), "x");
    writeFileSync(join(folder, "check.sh"), "x");
    symlinkSync("/etc/passwd", join(folder, "passwd"));
    expect(await (await find()).load("review")).toBe(
      `See references.\n\nFiles of this skill, in ${folder}:\n- check.sh\n- references/style.md`,
    );
  });

  test("and not if it became a link to elsewhere meanwhile", async () => {
    const folder = put(join(project, ".agents/skills"), "review");
    const skills = await find();
    rmSync(join(folder, "SKILL.md"));
    symlinkSync(join(put(join(root, "elsewhere"), "review"), "SKILL.md"), join(folder, "SKILL.md"));
    expect(await skills.load("review")).toBeUndefined();
  });
});
