import { join } from "node:path";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";
import { Stage } from "./attacks/stage.ts";
import { toldTool } from "./attacks/told.ts";

const reason = whyNoJail("user");

test.skipIf(reason !== undefined)(
  `git runs nothing that a tracked folder brings, with what its map wants in the environment${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  async () => {
    const script = join(import.meta.dirname, "attacks/bare-repository.ts");
    const { stdout, stderr } = await runInJail({ script, as: "user" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ withoutMap: true, withMap: false, statusAtTop: 0, addAtTop: 0 });
  },
);

describe("under the recommended rules git is used", () => {
  const stage = new Stage();
  const LOOKING = ["git_status", "git_diff_unstaged", "git_log"];
  const TOOLS = [...LOOKING, "git_commit"];

  beforeAll(async () => {
    const source = stage.source({ settings: { git: { map: "git" } } });
    await source.add(stage.entry("git", { tools: TOOLS.map((tool) => toldTool(tool)) }));
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  async function decided(tool: string, repo_path: string) {
    const options = { policy: RECOMMENDED_POLICY };
    const { result, asked } = await stage.call(
      { tool: `git_${tool}`, args: { repo_path } },
      "reject",
      options,
    );
    return asked > 0 ? "ask" : result.ok ? "allow" : "deny";
  }

  test.each(LOOKING)("freely at the top of the workspace, and elsewhere with leave: %s", async (tool) => {
    expect(await decided(tool, stage.workspace)).toBe("allow");
    expect(await decided(tool, join(stage.workspace, "vendored"))).toBe("ask");
    expect(await decided(tool, `${stage.workspace}/.//vendored/`)).toBe("ask");
  });

  test("to commit with leave everywhere: the server runs hooks", async () => {
    expect(await decided("git_commit", stage.workspace)).toBe("ask");
    expect(await decided("git_commit", join(stage.workspace, "vendored"))).toBe("ask");
  });
});
