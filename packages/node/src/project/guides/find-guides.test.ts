import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { findGuides } from "./find-guides.ts";

let project: string;
let user: string;

beforeEach(() => {
  const root = temporaryFolder();
  project = join(root, "project");
  user = join(root, "home");
  for (const folder of [project, user]) mkdirSync(folder);
});

const TRUSTED: Pick<ProjectTrust, "of"> = { of: async (path) => ({ isTrusted: true, project: path }) };
const find = (trust = TRUSTED) => findGuides({ project, user, trust });

const put = (folder: string, name: string, text: string) => putFile(join(folder, ".toolkeep", name), text);

const GREP = `tool: grep
when_to_use:
  - You look for a text.
when_not_to_use: You know the file.
examples: ["grep TODO in src"]
tips:
  - Name a folder.
`;
const RELEASE = `tool_kit: release
description: Publish a version.
steps:
  - { order: 2, tool: [git_manager, bash], action: Tag }
  - { order: 1, tool: bash, action: Test, note: All of them. }
`;

describe("guides and kits", () => {
  test("[C117] a guide has when_to_use, when_not_to_use, examples and tips", async () => {
    put(project, "guides/grep.yaml", GREP);
    expect(await find()).toEqual({
      guides: [
        {
          tool: "grep",
          when: ["You look for a text."],
          whenNot: ["You know the file."],
          examples: ["grep TODO in src"],
          tips: ["Name a folder."],
        },
      ],
      kits: [],
      errors: [],
    });
  });

  test("[C116] a kit has its steps in their order, each with the tools that can do it", async () => {
    put(user, "kits/release.yml", RELEASE);
    expect((await find()).kits).toEqual([
      {
        name: "release",
        description: "Publish a version.",
        steps: [
          { action: "Test", tools: ["bash"], note: "All of them." },
          { action: "Tag", tools: ["git_manager", "bash"] },
        ],
      },
    ]);
  });

  test("those of the project come first, and hide those of the user", async () => {
    put(user, "guides/grep.yaml", "tool: grep\ntips: Theirs.\n");
    put(user, "guides/read.yaml", "tool: read\ntips: Theirs.\n");
    put(project, "guides/search.yaml", "tool: grep\ntips: Ours.\n");
    expect((await find()).guides).toEqual([
      { tool: "grep", tips: ["Ours."] },
      { tool: "read", tips: ["Theirs."] },
    ]);
  });

  test("a file that is wrong is not used, and the line is named", async () => {
    const typo = put(project, "guides/a.yaml", "tool: grep\nwhen_to_us: Now.\n");
    const steps = put(project, "kits/b.yaml", "tool_kit: b\ndescription: B.\nsteps: []\n");
    const found = await find();
    expect(found).toMatchObject({ guides: [], kits: [] });
    expect(found.errors).toMatchObject([
      { file: typo, line: 2, message: 'Unknown field "when_to_us". Did you mean "when_to_use"?' },
      { file: steps, line: 3, message: "The field `steps` must be a list with one entry at least." },
    ]);
  });

  test("a folder that leads out of the project is refused", async () => {
    put(user, "guides/grep.yaml", GREP);
    mkdirSync(join(project, ".toolkeep"));
    symlinkSync(join(user, ".toolkeep/guides"), join(project, ".toolkeep/guides"));
    const found = await findGuides({ project, user: false, trust: TRUSTED });
    expect(found.guides).toEqual([]);
    expect(found.errors[0]?.message).toContain("leads out of the project");
  });

  test("[C27] nothing of a project is read before it is trusted, nor what was added since", async () => {
    put(project, "guides/grep.yaml", GREP);
    put(user, "guides/read.yaml", "tool: read\ntips: Ours.\n");
    const declined = await find({
      of: async (path) => ({ isTrusted: false, project: path, reason: "declined" }),
    });
    expect(declined).toMatchObject({ guides: [{ tool: "read" }], untrusted: "declined", errors: [] });
    const older = await find({
      of: async (path) => ({ isTrusted: true, project: path, covers: () => false }),
    });
    expect(older.guides).toEqual([{ tool: "read", tips: ["Ours."] }]);
    expect(older.errors[0]?.message).toBe("Refused: it is not what was trusted.");
  });
});
