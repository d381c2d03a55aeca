import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UNKNOWN_MODE } from "../packages/cli/src/clients/client-mode.ts";
import { decideCall } from "../packages/cli/src/hooks/decide/decide-call.ts";
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
  put(
    "package.json",
    JSON.stringify({ scripts: { test: "vitest run", unit: "jest", old: "mocha", build: "webpack" } }),
  );
  for (const path of ["src/a.test.js", "packages/own/package.json", ".gitignore"]) put(path);
  for (const path of ["evil/package.json", "evil/a.test.js", ".bin/vitest", ".bin/jest", ".bin/eslint"])
    put(`node_modules/${path}`);
  for (const path of [".venv/lib/python3/site-packages/evil/test_a.py", "tests/test_a.py"]) put(path);
  symlinkSync("../packages/own", join(root, "node_modules/own"));
  symlinkSync("node_modules/evil", join(root, "handy"));
  for (const path of ["kept.txt", "changed.txt"]) put(path, "kept\n");
  put("empty.txt", "");
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "add", "kept.txt", "changed.txt"]);
  for (const path of ["changed.txt", "new.txt"]) put(path, "work of an hour\n");
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  project = { ...(await readProject({ cwd: root })), isTrusted: true };
});

afterAll(() => {
  if (before === undefined) delete process.env["TOOLKEEP_HOME"];
  else process.env["TOOLKEEP_HOME"] = before;
  rmSync(base, { recursive: true, force: true });
});

/** A client that needs an answer to every call. */
const clientMode = { ...UNKNOWN_MODE, canLeave: false };

async function decide(command: string, cwd = root) {
  count += 1;
  return runIn(`trusted-${count}`, command, cwd);
}

async function runIn(conversation: string, command: string, cwd = root) {
  const place = { conversation, folder: root, cwd, label: "bash", canAsk: true, clientMode };
  const call = { tool: "bash" as const, arguments: { command: command.replaceAll("{project}", root) } };
  return decideCall({ ...place, calls: [call] }, { client: "claude-code", project });
}

/** What is said to writing a file, and in the same conversation to a line. */
async function afterWriting(file: string, command: string) {
  count += 1;
  const conversation = `trusted-${count}`;
  const place = { conversation, folder: root, cwd: root, label: "write", canAsk: true, clientMode };
  const call = { tool: "write" as const, arguments: { path: join(root, file), content: "x" } };
  const written = await decideCall({ ...place, calls: [call] }, { client: "claude-code", project });
  return [written.action, (await runIn(conversation, command)).action];
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

describe("what empties a file that git does not have is asked about as a deletion is", () => {
  const empties = [
    ": > FILE",
    "true > FILE",
    "echo -n > FILE",
    "printf '' > FILE",
    "cat /dev/null > FILE",
    "cat < /dev/null > FILE",
    "truncate -s 0 FILE",
    "truncate --size=0 FILE",
    "cp /dev/null FILE",
    "cp -f /dev/null ./FILE",
    "tee FILE < /dev/null",
    "sed -i d FILE",
    "sed -i '1,$d' FILE",
    "cd src && : > ../FILE",
  ];
  test.each(empties)("%s", async (line) => {
    for (const file of ["new.txt", "changed.txt"])
      expect(await decide(line.replace("FILE", file))).toMatchObject({
        action: "ask",
        reason: expect.stringMatching(/empties|No policy rule/),
      });
  });

  test.each([
    ...empties.filter((line) => !line.startsWith("cd ")).map((line) => line.replace("FILE", "kept.txt")),
    ": > fresh.txt",
    ": > empty.txt",
    ": >> new.txt",
    "truncate -s +10 new.txt",
    "echo x > new.txt",
    "cp kept.txt new.txt",
    "mv kept.txt new.txt",
    "sed -i '1d' new.txt",
  ])("it is a write, as the client's own tool does one: %s", async (line) => {
    expect(await said(line)).toBe("allow");
  });

  test.each([
    "rm new.txt",
    "git checkout -- changed.txt",
    "git restore changed.txt",
    "git clean -fd",
    "git stash drop",
    "git reset --hard",
    "dd of=new.txt",
    "ln -sf kept.txt new.txt",
    "shred new.txt",
    "mv new.txt /dev/null",
  ])("it is not allowed: %s", async (line) => {
    expect(await said(line)).not.toBe("allow");
  });
});

describe("settings that are code, and what runs after this conversation wrote them", () => {
  test.each([
    ["vitest.config.ts", "npm test"],
    ["vitest.config.ts", "npx vitest run"],
    ["vite.config.mjs", "npm test"],
    ["vitest.workspace.ts", "npm test"],
    ["jest.config.js", "npm run unit"],
    ["jest.setup.js", "npm run unit"],
    ["babel.config.js", "npm run unit"],
    [".babelrc.js", "npm run unit"],
    ["eslint.config.js", "npx eslint src"],
    [".mocharc.js", "npm run old"],
    [".mocharc.yml", "npm run old"],
    ["webpack.config.js", "npm run build"],
    ["conftest.py", "pytest"],
    ["tests/conftest.py", "python -m pytest"],
    ["pytest.ini", "pytest -x"],
    ["mypy.ini", "mypy src"],
    [".coveragerc", "pytest"],
    [".rubocop.yml", "bundle exec rubocop"],
    [".rspec", "rspec"],
    [".eslintrc.json", "npx eslint src"],
    [".stylelintrc.yaml", "npx stylelint src"],
    ["global.json", "dotnet test"],
  ])("%s is written unasked, and then %s asks", async (file, line) => {
    expect(await afterWriting(file, line)).toEqual(["allow", "ask"]);
  });

  test.each([
    ["tox.ini", "pytest"],
    ["setup.cfg", "pytest"],
    ["Makefile", "make test"],
  ])("%s and %s ask both", async (file, line) => {
    expect(await afterWriting(file, line)).toEqual(["ask", "ask"]);
  });

  test.each([
    ["src/b.test.js", "npm test"],
    ["src/b.js", "npm test"],
    ["tests/test_b.py", "pytest"],
  ])("tests and sources are the project's own code: %s, %s", async (file, line) => {
    expect(await afterWriting(file, line)).toEqual(["allow", "allow"]);
  });

  test.each([
    ["Dockerfile", "docker build ."],
    ["Dockerfile", "docker buildx build ."],
    ["compose.yaml", "docker compose up -d"],
    ["docker-compose.yml", "docker-compose up"],
    ["docker-compose.yml", "docker compose run app"],
    ["compose.yaml", "podman compose up"],
  ])("%s is written unasked, and %s asks", async (file, line) => {
    expect(await afterWriting(file, line)).toEqual(["allow", "ask"]);
  });
});

describe("a pattern that covers files with secrets is said to be one", () => {
  test.each([
    ["head -50 .*", /^The pattern "\.\*" may stand for the folder above, and for files that hold secrets\./],
    ["cat .n*", /^The pattern "\.n\*" may stand for files that this rule protects: `deny fs\.\* /],
  ])("%s", async (line, reason) => {
    expect(await decide(line)).toMatchObject({ action: "deny", reason: expect.stringMatching(reason) });
  });
});
