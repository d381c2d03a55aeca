import { describe, expect, test } from "vitest";
import { fsWrite, shellRun } from "../../contract/effect.ts";
import { policyCall, policyContext } from "../policy-call.ts";
import { changedScripts } from "./changed-scripts.ts";
import { changedScriptsOf } from "./script-files.ts";

function evaluate(argv: readonly string[], changed: readonly string[]) {
  const call = policyCall({ tool: "bash", effects: [shellRun(argv)] });
  return changedScripts().evaluate(call, policyContext({ changedScripts: new Set(changed) }));
}

describe("scripts that were changed in this session", () => {
  test("what they run is asked about, by whatever name the runner goes", () => {
    for (const argv of [
      ["npm", "test"],
      ["pnpm", "run", "build"],
      ["/usr/bin/npm", "test"],
    ])
      expect(evaluate(argv, ["/ws/package.json"])).toMatchObject({ action: "ask" });
    expect(evaluate(["make"], ["/ws/sub/Makefile"])).toMatchObject({ action: "ask" });
  });

  test("what has nothing to do with them passes, and so does everything before they are changed", () => {
    expect(evaluate(["git", "status"], ["/ws/package.json"])).toEqual({ action: "allow" });
    expect(evaluate(["make"], ["/ws/package.json"])).toEqual({ action: "allow" });
    expect(evaluate(["npm", "test"], [])).toEqual({ action: "allow" });
  });

  test("a hook of git that was changed, or that runs what was changed, is asked about", () => {
    for (const changed of ["/ws/.husky/pre-commit", "/ws/package.json", "/ws/lefthook.yml"])
      expect(evaluate([".husky/pre-commit"], [changed]), changed).toMatchObject({ action: "ask" });
    expect(evaluate([".husky/pre-commit"], ["/ws/.husky/post-merge"])).toEqual({ action: "allow" });
    expect(evaluate(["git", "commit"], ["/ws/.husky/pre-commit"])).toEqual({ action: "allow" });
  });

  test("are known by their names", () => {
    const paths = ["/ws/package.json", "/ws/PACKAGE.JSON", "/ws/src/a.ts", "/ws/Makefile", "/ws/justfile"];
    expect(changedScriptsOf(paths.map(fsWrite))).toEqual(paths.filter((path) => path !== "/ws/src/a.ts"));
  });
});
