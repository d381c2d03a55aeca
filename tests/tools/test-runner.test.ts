import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession, type Session, type Tool, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { noSandbox, openWorkspace, type Workspace } from "@toolkeep/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readCargo, readGo, readJest, readPytest } from "../../packages/tools/src/test-runs/read-reports.ts";
import { readTap } from "../../packages/tools/src/test-runs/read-tap.ts";
import { runnerOf } from "../../packages/tools/src/test-runs/runners.ts";
import { testRunnerTool } from "../../packages/tools/src/test-runs/test-runner-tool.ts";
import { ALLOW } from "../scenario.ts";

describe("what runners report", () => {
  test("the Test Anything Protocol of Vitest, with positions", () => {
    const output = [
      ...["TAP version 13", "1..3", "ok 1 - a.test.ts > ok # time=6.80ms"],
      ...[
        "not ok 2 - a.test.ts > group > bad # time=68.88ms",
        "    ---",
        "    error:",
        '        name: "AssertionError"',
      ],
      ...['        message: "expected 1 to be 2"', '    at: "/ws/a.test.ts:2:79"', "    ..."],
      "ok 3 - a.test.ts > later # SKIP",
    ].join("\n");
    const failure = {
      name: "a.test.ts > group > bad",
      file: "/ws/a.test.ts",
      line: 2,
      message: "expected 1 to be 2",
    };
    expect(readTap(output)).toEqual({ passed: 1, failed: 1, skipped: 1, failures: [failure] });
  });

  test("the JSON of Jest, among other output", () => {
    const failed = {
      fullName: "sum bad",
      status: "failed",
      location: { line: 4 },
      failureMessages: ["Error: no\n  at x"],
    };
    const report = {
      ...{ numFailedTestSuites: 1, numPassedTests: 2, numFailedTests: 1, numPendingTests: 3 },
      testResults: [
        { name: "/ws/a.test.js", assertionResults: [{ fullName: "sum ok", status: "passed" }, failed] },
      ],
    };
    const failure = { name: "sum bad", file: "/ws/a.test.js", line: 4, message: "Error: no" };
    expect(readJest(`FAIL a.test.js\n${JSON.stringify(report)}\n`)).toEqual({
      passed: 2,
      failed: 1,
      skipped: 3,
      failures: [failure],
    });
  });

  test("packages that do not compile and panics of go, and files that pytest cannot load", () => {
    const go = [
      "# example.com/m/b [example.com/m/b.test]",
      "b/b_test.go:3:28: undefined: thing",
      '{"Action":"pass","Package":"example.com/m/a","Test":"TestOk"}',
      '{"Action":"output","Package":"example.com/m/c","Test":"TestP","Output":"panic: no map [recovered]\\n"}',
      '{"Action":"output","Package":"example.com/m/c","Test":"TestP","Output":"\\t/ws/c/c_test.go:5 +0x2e\\n"}',
      '{"Action":"fail","Package":"example.com/m/c","Test":"TestP"}',
      '{"Action":"fail","Package":"example.com/m/c"}',
      "FAIL\texample.com/m/b [build failed]",
    ].join("\n");
    expect(readGo(go)).toEqual({
      ...{ passed: 1, failed: 2, skipped: 0 },
      failures: [
        {
          name: "example.com/m/c TestP",
          file: "/ws/c/c_test.go",
          line: 5,
          message: "panic: no map [recovered]",
        },
        { name: "example.com/m/b", file: "b/b_test.go", line: 3, message: "undefined: thing" },
      ],
    });
    const pytest = [
      "______ ERROR collecting tests/test_bad.py ______",
      "E   ModuleNotFoundError: No module named 'gone'",
      "ERROR tests/test_bad.py",
      "1 error in 0.26s",
    ].join("\n");
    expect(readPytest(pytest)?.failures).toEqual([
      {
        ...{ name: "tests/test_bad.py", file: "tests/test_bad.py" },
        message: "ModuleNotFoundError: No module named 'gone'",
      },
    ]);
  });

  test("the summary of pytest: a failure has its line, an error its file", () => {
    const output = [
      ...[
        ".F.FsE   [100%]",
        "=== FAILURES ===",
        "/ws/test_a.py:5: assert 1 == 2",
        "/ws/test_a.py:9: assert 2 == 1",
      ],
      ...["FAILED test_a.py::test_bad - assert 1 == 2", "FAILED test_a.py::TestC::test_p[2] - assert 2 == 1"],
      ...["ERROR test_a.py::test_e - RuntimeError: no", "2 failed, 2 passed, 1 skipped, 1 error in 4.62s"],
    ].join("\n");
    expect(readPytest(output)).toEqual({
      ...{ passed: 2, failed: 3, skipped: 1 },
      failures: [
        { name: "test_a.py::test_bad", file: "/ws/test_a.py", line: 5, message: "assert 1 == 2" },
        { name: "test_a.py::TestC::test_p[2]", file: "/ws/test_a.py", line: 9, message: "assert 2 == 1" },
        { name: "test_a.py::test_e", file: "test_a.py", message: "RuntimeError: no" },
      ],
    });
  });

  test("the events of go: a test counts once, with the position that it printed", () => {
    const event = (Action: string, Test: string, Output?: string) =>
      JSON.stringify({ Action, Package: "x", Test, Output });
    const output = [
      ...[
        event("pass", "TestOk"),
        event("output", "TestBad/sub", "    a_test.go:4: got 1\n"),
        event("fail", "TestBad/sub"),
      ],
      ...[event("fail", "TestBad"), event("skip", "TestSkip"), '{"Action":"fail","Package":"x"}'],
    ].join("\n");
    const failure = { name: "x TestBad/sub", file: "a_test.go", line: 4, message: "got 1" };
    expect(readGo(output)).toEqual({ passed: 1, failed: 1, skipped: 1, failures: [failure] });
  });

  test("the lines of cargo, of all targets", () => {
    const output = [
      ...[
        "test tests::later ... ignored",
        "test tests::ok ... ok",
        "test tests::bad ... FAILED",
        "",
        "---- tests::bad stdout ----",
      ],
      ...["", "thread 'tests::bad' (25016) panicked at src/lib.rs:4:24:", "assertion `left == right` failed"],
      ...["test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured", "   Doc-tests x"],
      "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured",
    ].join("\n");
    const failure = {
      name: "tests::bad",
      file: "src/lib.rs",
      line: 4,
      message: "assertion `left == right` failed",
    };
    const early =
      "test a ... FAILED\nthread 'a' panicked at 'it's no', src/a.rs:3:5\ntest result: FAILED. 0 passed; 1 failed;";
    expect(readCargo(early)?.failures).toEqual([
      { name: "a", file: "src/a.rs", line: 3, message: "it's no" },
    ]);
    expect(readCargo(output)).toEqual({ passed: 3, failed: 1, skipped: 1, failures: [failure] });
  });

  test("anything else is no report", () => {
    for (const read of [readTap, readJest, readPytest, readGo, readCargo])
      expect(read("command not found\n")).toBe(undefined);
  });
});

test.for([
  ["vitest", { "package.json": '{"devDependencies":{"vitest":"5"}}' }],
  ["jest", { "package.json": '{"scripts":{"test":"jest"}}' }],
  ["node:test", { "package.json": '{"scripts":{"test":"node --test"}}' }],
  ["pytest", { "pyproject.toml": "" }],
  ["go", { "go.mod": "module x" }],
  ["cargo", { "Cargo.toml": "" }],
  [undefined, {}],
] as const)("a project is seen to use %s", ([runner, files]) => {
  expect(runnerOf(new Map(Object.entries(files)))).toBe(runner);
});

describe("the tool", () => {
  let top: string;
  let root: string;
  let workspace: Workspace;
  let session: Session;

  beforeAll(async () => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-tests-")));
    root = join(top, "ws");
    mkdirSync(root);
    workspace = await openWorkspace({ roots: [root], sandbox: noSandbox(), sidecars: join(top, "kept") });
    session = await createSession({
      ...workspace.sessionOptions(),
      tools: [testRunnerTool() as Tool],
      policy: ALLOW,
    });
  });
  afterAll(async () => {
    await session.close();
    await workspace.close();
    rmSync(top, { recursive: true });
  });
  beforeEach(() => {
    rmSync(root, { recursive: true });
    mkdirSync(root);
  });

  const run = (args: object = {}): Promise<ToolResult> =>
    session.call({ id: crypto.randomUUID(), name: "test_runner", arguments: { ...args } });
  function put(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
  }
  /** A workspace of root finds no program that another user cannot start. */
  const asOther = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const isMissing = (...argv: readonly [string, ...string[]]) =>
    spawnSync(argv[0], argv.slice(1), asOther).status !== 0;

  test("detects node:test, runs it, and names what failed and where", async () => {
    put({
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}',
      "a.test.js":
        'import test, { describe, it } from "node:test";\ntest("ok", () => {});\ndescribe("group", () => {\n  it("bad", () => { throw new Error("no"); });\n  it.skip("later");\n});\n',
    });
    const result = await run();
    expect(result.data).toMatchObject({
      ...{ runner: "node:test", passed: 1, failed: 1, skipped: 1 },
      failures: [{ name: "bad", file: join(root, "a.test.js"), line: 4, message: "no" }],
    });
    expect(modelText(result)).toContain(`failed: bad (${join(root, "a.test.js")}:4): no`);
    expect((await run({ runner: "node:test", name: "ok" })).data).toMatchObject({ passed: 1, failed: 0 });
  });

  test("runs Vitest", async () => {
    put({
      "package.json": '{"type":"module","devDependencies":{"vitest":"*"}}',
      "a.test.js": 'import { expect, test } from "vitest";\ntest("bad", () => {\n  expect(1).toBe(2);\n});\n',
    });
    symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
    expect((await run()).data).toMatchObject({ failed: 1, failures: [{ name: "a.test.js > bad", line: 3 }] });
  });

  test.skipIf(isMissing("/usr/bin/python3", "-m", "pytest", "--version"))("runs pytest", async () => {
    put({
      "pytest.ini": "[pytest]\n",
      "test_a.py": "def test_ok(): pass\ndef test_bad():\n  assert 1 == 2\n",
    });
    expect((await run()).data).toMatchObject({
      passed: 1,
      failed: 1,
      failures: [{ name: "test_a.py::test_bad", line: 3 }],
    });
  });

  test.skipIf(process.env["TOOLKEEP_LONG"] === undefined || isMissing("go", "version"))(
    "runs go test",
    async () => {
      put({
        "go.mod": "module example.com/x\ngo 1.19\n",
        "a_test.go": 'package x\nimport "testing"\nfunc TestBad(t *testing.T) {\n\tt.Error("no")\n}\n',
      });
      expect((await run()).data).toMatchObject({
        failed: 1,
        failures: [{ file: "a_test.go", line: 4, message: "no" }],
      });
    },
  );

  test.skipIf(isMissing("cargo", "--version"))("runs cargo test", async () => {
    put({
      "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn bad() {\n    assert!(false);\n}\n",
    });
    expect((await run()).data).toMatchObject({
      failed: 1,
      failures: [{ name: "bad", file: "src/lib.rs", line: 3 }],
    });
  });

  test("says so where no runner is found, and where one reports nothing", async () => {
    expect(modelText(await run())).toContain("no file that tells how its tests are run");
    expect(modelText(await run({ runner: "pytest", paths: ["missing.py"] }))).toMatch(
      /no tests ran|did not report any tests/,
    );
  });
});
