import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { openWorkspace, type Workspace } from "@toolkeep/node";
import { codeTools, managerTools } from "@toolkeep/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/*
 * A repository whose every program leaves a mark: a file outside of the workspace, a line in the user's folder, a request.
 * Its programs are named wherever tools look: git's settings, hooks and attributes, the configuration of test runners.
 */
let top: string;
let root: string;
let outside: string;
let server: Server;
let requests = 0;
let workspace: Workspace;
let code: Session;
let managers: Session;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-malicious-")));
  chmodSync(top, 0o755);
  root = join(top, "ws");
  // Not below the folder for temporary files, which commands may write to.
  outside = realpathSync(mkdtempSync("/var/tmp/toolkeep-outside-"));
  chmodSync(outside, 0o777);
  server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  makeRepository();
  workspace = await openWorkspace({ roots: [root], sidecars: join(top, "kept") });
  const options = {
    policy: RECOMMENDED_POLICY,
    approver: async () => ({ verdict: "reject" }) as const,
  };
  code = await workspace.createSession({ ...options, tools: codeTools() });
  managers = await workspace.createSession({ ...options, tools: managerTools() });
});
afterAll(async () => {
  await code.close();
  await managers.close();
  await workspace.close();
  await new Promise((closed) => server.close(closed));
  rmSync(top, { recursive: true });
  rmSync(outside, { recursive: true });
});

function makeRepository(): void {
  mkdirSync(join(root, "tests"), { recursive: true });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/`;
  put("evil", `#!/bin/sh\necho ran >> ${outside}/mark\necho ran >> ${root}/inside\ncat 2>/dev/null\n`);
  const inNode = [
    'import { appendFileSync } from "node:fs";',
    `for (const path of ["${outside}/mark", "${root}/inside"]) try { appendFileSync(path, "ran\\n"); } catch {}`,
    `try { await fetch("${address}"); } catch {}`,
  ].join("\n");
  const inPython = [
    "import urllib.request",
    `for path in ["${outside}/mark", "${root}/inside"]:`,
    "    try: open(path, 'a').write('ran\\n')",
    "    except OSError: pass",
    `try: urllib.request.urlopen("${address}", timeout=2)`,
    "except OSError: pass",
  ].join("\n");
  put("package.json", '{ "type": "module", "scripts": { "test": "./evil" } }');
  put("tests/one.test.js", `${inNode}\nimport { test } from "node:test";\ntest("one", () => {});\n`);
  put("vitest.config.js", `${inNode}\nexport default {};\n`);
  put("jest.config.js", `${inNode}\nexport default {};\n`);
  put("conftest.py", inPython);
  put("test_one.py", "def test_one(): pass\n");
  put("a.txt", "one\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: root });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  const evil = join(root, "evil");
  put(
    ".git/config",
    [
      readFileSync(join(root, ".git/config"), "utf8"),
      `[core]\nfsmonitor = ${evil}\npager = ${evil}\neditor = ${evil}\n[diff]\nexternal = ${evil}`,
      `[filter "evil"]\nclean = ${evil}\nsmudge = ${evil}\n[alias]\nstatus = !${evil}\n`,
    ].join("\n"),
  );
  for (const hook of ["pre-commit", "post-index-change", "reference-transaction", "post-checkout"])
    put(`.git/hooks/${hook}`, readFileSync(evil, "utf8"));
  put(".git/info/attributes", "*.txt filter=evil diff=evil\n");
  put("a.txt", "two\n");
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", "1000:1000", top]);
}

function put(path: string, content: string): void {
  writeFileSync(join(root, path), content, { mode: 0o755 });
}

/** Where a mark was left since the last look. */
function marks(): readonly string[] {
  const left = [
    ...(existsSync(join(outside, "mark")) ? ["outside"] : []),
    ...(existsSync(join(root, "inside")) ? ["inside"] : []),
    ...(requests > 0 ? ["network"] : []),
  ];
  requests = 0;
  for (const path of [join(outside, "mark"), join(root, "inside")]) rmSync(path, { force: true });
  return left;
}

describe("without Toolkeep, so that what follows can fail", () => {
  test("git runs the programs of the repository", () => {
    spawnSync("git", ["-c", "safe.directory=*", "diff"], { cwd: root });
    expect(marks()).toEqual(["outside", "inside"]);
  });

  test("a test runner runs the code of the repository", async () => {
    const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, ["--test"], { cwd: root, stdio: "ignore" });
    await new Promise((ended) => child.on("close", ended));
    expect(marks()).toEqual(["outside", "inside", "network"]);
  });
});

describe("nothing of the repository runs", () => {
  test.for([
    ["git", { action: "status" }],
    ["git", { action: "diff" }],
    ["git", { action: "log" }],
    ["git", { action: "show" }],
    ["git", { action: "branch" }],
    ["repo_overview", {}],
    ["apply_patch", { patch: "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch" }],
  ] as const)("for %s %o", async ([name, args]) => {
    const { ok } = await code.call(name, args);
    expect({ ok, marks: marks() }).toEqual({ ok: true, marks: [] });
  });

  test.for([
    ["add", { paths: ["a.txt"] }, "no such program runs here"],
    ["commit", { message: "second" }, "git commit failed"],
    ["push", { name: "main" }, "Denied by the person"],
  ] as const)("for git %s, which says why it did nothing", async ([action, args, why]) => {
    const result = await code.call("git", { action, ...args });
    expect([modelText(result), marks()]).toEqual([expect.stringContaining(why), []]);
  });

  test("for repo_clone, which asks before it brings in a repository", async () => {
    const { failure } = await code.call("repo_clone", { url: root, folder: "copy" });
    expect([failure?.code, marks()]).toEqual(["denied", []]);
  });

  test.for([
    ["git_manager", { action: "diff" }],
    ["git_manager", { action: "status" }],
    ["diff_editor", { action: "create", path: "a.txt", content: "three\n" }],
    ["file_manager", { action: "read", path: "a.txt" }],
    ["file_manager", { action: "append", path: "a.txt", content: "four\n" }],
    ["code_search", { pattern: "two" }],
  ] as const)("for %s %o", async ([name, args]) => {
    const { ok } = await managers.call(name, args);
    expect({ ok, marks: marks() }).toEqual({ ok: true, marks: [] });
  });
});

describe("tests run in the sandbox or not at all", () => {
  test.for(["node:test", "vitest", "jest", "pytest"])("%s", async (runner) => {
    await code.call("test_runner", { runner });
    const left = marks();
    expect(left).not.toContain("outside");
    expect(left).not.toContain("network");
    if (runner === "node:test") expect(left).toContain("inside");
  });
});
