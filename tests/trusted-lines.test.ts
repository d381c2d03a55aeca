import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideCall } from "../packages/cli/src/hooks/decide-call.ts";
import { type Project, readProject } from "../packages/cli/src/project/read-project.ts";

/*
 * What the hook of a client says to whole lines in a project that its user trusts, with the recommended rules. Nothing
 * is run.
 */

const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-trusted-")));
const root = join(base, "shop");
const before = process.env["TOOLKEEP_HOME"];
let project: Project;
let count = 0;

function put(path: string, text = "{}\n"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeAll(async () => {
  for (const path of ["package.json", "src/a.test.js", "packages/own/package.json", ".gitignore"]) put(path);
  for (const path of ["evil/package.json", "evil/a.test.js", ".bin/vitest", ".bin/jest", ".bin/eslint"])
    put(`node_modules/${path}`);
  for (const path of [".venv/lib/python3/site-packages/evil/test_a.py", "tests/test_a.py"]) put(path);
  symlinkSync("../packages/own", join(root, "node_modules/own"));
  symlinkSync("node_modules/evil", join(root, "handy"));
  execFileSync("git", ["init", "-q", root]);
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  project = { ...(await readProject({ cwd: root })), isTrusted: true };
});

afterAll(() => {
  if (before === undefined) delete process.env["TOOLKEEP_HOME"];
  else process.env["TOOLKEEP_HOME"] = before;
  rmSync(base, { recursive: true, force: true });
});

async function decide(command: string, cwd = root) {
  count += 1;
  const place = { conversation: `trusted-${count}`, folder: root, cwd, label: "bash", canAsk: true };
  const call = { tool: "bash" as const, arguments: { command: command.replaceAll("{project}", root) } };
  return decideCall({ ...place, calls: [call] }, { client: "claude-code", project });
}

const said = async (command: string, cwd?: string) => (await decide(command, cwd)).action;

describe("the project's own code runs unasked", () => {
  test.each([
    "npm test",
    "npm run -s -s -s -s -s -s -s -s -s lint",
    "cd packages/own && npm test",
    "cd node_modules/own && npm test",
    "cd {project}/packages/own && npm run build",
    "npx vitest run src/a.test.js",
    "pytest -x tests/test_a.py",
    "cd node_modules/evil && cat package.json && ls -la",
  ])("%s", async (line) => {
    expect(await said(line)).toBe("allow");
  });
});

describe("a script is known by its name, whatever stands before it", () => {
  test.each([
    "npm run -s -s -s -s -s -s -s -s -s deploy",
    "npm run --silent --if-present -w own --workspace own -s -s -s -s -s -s deploy",
    "npm run-script -s -s -s -s -s -s -s -s -s -s -s publish:all",
    "npm run -s -s -s -s -s -s -s -s -s -s env",
    "npm run --loglevel=silent --json --no-color --no-fund --no-audit --no-progress -q -s -s db:reset -- x",
    "npm run -- deploy",
    "pnpm run --silent --silent --silent --silent --silent --silent --silent --silent --silent deploy",
    "pnpm run --filter own --stream --parallel --no-bail -r -s -s -s -s -s release",
  ])("%s", async (line) => {
    expect(await decide(line)).toMatchObject({
      action: "ask",
      reason: expect.stringMatching(/more than the project|the secrets in it/),
    });
  });
});

describe("code of a package is not the project's own", () => {
  test.each([
    "cd node_modules/evil && npm test",
    "cd handy && npm test",
    "cd {project}/node_modules/evil && npx vitest run",
    "cd .venv/lib/python3/site-packages/evil && pytest",
    "cd node_modules/evil && make test",
    "cd node_modules/evil && timeout 60 npm test 2>&1 | tail",
    "npm --prefix node_modules/evil test",
    "npm test --prefix node_modules/evil",
    "npm -C node_modules/evil test",
    "npm -C ../other test",
    "pnpm -C node_modules/evil test",
    "pnpm --dir=node_modules/evil test",
    "yarn --cwd node_modules/evil test",
    "npx vitest run node_modules/evil/a.test.js",
    "npx vitest run handy/a.test.js",
    "npx eslint node_modules/evil",
    "node --test node_modules/evil/a.test.js",
    "pytest .venv/lib/python3/site-packages/evil/test_a.py",
    "python -m pytest .venv/lib/python3/site-packages/evil",
  ])("%s", async (line) => {
    expect(await said(line)).toBe("ask");
  });

  test("also where the client is in its folder already, and the question says why", async () => {
    expect(await decide("npm test", join(root, "node_modules/evil"))).toMatchObject({
      action: "ask",
      reason: expect.stringContaining("node_modules/evil"),
    });
  });
});
