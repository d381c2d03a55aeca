import { describe, expect, test } from "vitest";
import { fsWrite, shellRun } from "../../contract/call/effect.ts";
import { changedScriptsOf } from "../../file-names/script-files.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { changedScripts } from "./changed-scripts.ts";

function evaluate(argv: readonly string[], changed: readonly string[], scripts?: readonly string[]) {
  const known = scripts === undefined ? [] : [{ ...shellRun(argv), implied: true as const, scripts }];
  const call = policyCall({ tool: "bash", effects: [shellRun(argv), ...known] });
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

  test("settings of the project matter to what installs it, and not to packages that are named", () => {
    for (const operand of [".", "-e.", "-rrequirements.txt", "./lib", "a@file:.", "file:."])
      expect(evaluate(["pip", "install", operand], ["/ws/pyproject.toml"])).toMatchObject({ action: "ask" });
    for (const argv of [
      ["pip", "install", "httpx>=0.27"],
      ["python3", "-m", "pip", "install", "-U", "a", "b"],
    ])
      expect(evaluate(argv, ["/ws/pyproject.toml"])).toEqual({ action: "allow" });
  });

  test("a line that changes a script and runs it is asked about", () => {
    const line = (path: string) =>
      changedScripts().evaluate(
        policyCall({ tool: "bash", effects: [shellRun(["cat"]), fsWrite(path), shellRun(["make", "test"])] }),
        policyContext(),
      );
    expect(line("/ws/Makefile")).toMatchObject({ action: "ask" });
    expect(line("/ws/src/a.js")).toEqual({ action: "allow" });
  });

  test("a hook of git that was changed, or that runs what was changed, is asked about", () => {
    for (const changed of ["/ws/.husky/pre-commit", "/ws/package.json", "/ws/lefthook.yml"])
      expect(evaluate([".husky/pre-commit"], [changed]), changed).toMatchObject({ action: "ask" });
    expect(evaluate([".husky/pre-commit"], ["/ws/.husky/post-merge"])).toEqual({ action: "allow" });
    expect(evaluate(["git", "commit"], ["/ws/.husky/pre-commit"])).toEqual({ action: "allow" });
  });

  test("the reason says what is known: code, settings, or that any script may be run", () => {
    const reason = (argv: readonly string[], changed: string) => {
      const verdict = evaluate([...argv], [changed]);
      return "reason" in verdict ? verdict.reason : undefined;
    };
    expect(reason(["make"], "/ws/Makefile")).toBe(
      'It runs code from "/ws/Makefile", which this session changed.',
    );
    expect(reason(["pytest"], "/ws/pyproject.toml")).toBe(
      'It follows "/ws/pyproject.toml", which this session changed.',
    );
    expect(reason(["pnpm", "-r", "build"], "/ws/web/package.json#preview")).toBe(
      'Toolkeep cannot tell which scripts it runs, and this session changed the script "preview" of "/ws/web/package.json".',
    );
  });

  test("where it is known what a command runs, only that is asked about, by its name", () => {
    const test = ["/ws/package.json#pretest", "/ws/package.json#test", "vitest", "run", "/ws/scripts/a.js"];
    const npm = ["npm", "test"];
    for (const changed of [
      "/ws/package.json#test",
      "/ws/package.json#pretest",
      "/ws/package.json",
      "/ws/vitest.config.ts",
      "/ws/vite.config.mjs",
      "/ws/scripts/a.js",
    ])
      expect(evaluate(npm, [changed], test), changed).toMatchObject({ action: "ask" });
    for (const changed of [
      "/ws/package.json#lint",
      "/ws/other/package.json",
      "/ws/eslint.config.js",
      "/ws/scripts/b.js",
    ])
      expect(evaluate(npm, [changed], test), changed).toEqual({ action: "allow" });
    expect(evaluate(npm, ["/ws/package.json#test"], test)).toEqual({
      action: "ask",
      reason: 'It runs code from the script "test" of "/ws/package.json", which this session changed.',
    });
    // Where it is not known, any script may be run.
    expect(evaluate(npm, ["/ws/package.json#lint"])).toMatchObject({ action: "ask" });
  });

  test("a script that is named by its path is asked about", () => {
    for (const argv of [["./scripts/a.sh"], ["bash", "scripts/a.sh"], ["/ws/scripts/a.sh", "x"]])
      expect(evaluate(argv, ["/ws/scripts/a.sh"]), argv.join(" ")).toMatchObject({ action: "ask" });
    for (const argv of [
      ["cat", "scripts/a.sh"],
      ["bash", "scripts/b.sh"],
      ["git", "add", "scripts/a.sh"],
    ])
      expect(evaluate(argv, ["/ws/scripts/a.sh"]), argv.join(" ")).toEqual({ action: "allow" });
  });

  test("of a package.json the scripts are marked that change, where that is known", () => {
    const write = (scripts?: readonly string[]) =>
      changedScriptsOf([{ ...fsWrite("/ws/package.json"), ...(scripts === undefined ? {} : { scripts }) }]);
    expect(write(["test", "lint"])).toEqual(["/ws/package.json#test", "/ws/package.json#lint"]);
    expect(write([])).toEqual([]);
    expect(write()).toEqual(["/ws/package.json"]);
  });

  test("are known by their names", () => {
    const paths = [
      ...["/ws/package.json", "/ws/PACKAGE.JSON", "/ws/src/a.ts", "/ws/Makefile", "/ws/justfile"],
      ...["/ws/vitest.config.ts", "/ws/.eslintrc.cjs", "/ws/scripts/build.js", "/ws/x/deploy.sh"],
    ];
    expect(changedScriptsOf([...paths, "/ws/README.md", "/ws/data.csv"].map(fsWrite))).toEqual(paths);
  });

  test("a file of code is asked about where a command names it, and not where a test loads it", () => {
    const runs = ["/ws/app/main.py"];
    expect(evaluate(["python", "app/main.py"], runs)).toMatchObject({ action: "ask" });
    expect(evaluate(["python", "-m", "app.main"], runs, runs)).toMatchObject({ action: "ask" });
    expect(evaluate(["./app/main.py"], runs)).toMatchObject({ action: "ask" });
    expect(evaluate(["./server"], changedScriptsOf([fsWrite("/ws/server")]))).toMatchObject({
      action: "ask",
    });
    for (const argv of [
      ["python", "-m", "pytest", "app/main.py"],
      ["pytest", "app/main.py"],
      ["python", "other.py"],
    ])
      expect(evaluate(argv, runs), argv.join(" ")).toEqual({ action: "allow" });
    expect(evaluate(["npm", "test"], ["/ws/test/a.test.js"], ["/ws/test/a.test.js"])).toEqual({
      action: "allow",
    });
  });
});
