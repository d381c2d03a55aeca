import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { UNKNOWN_MODE } from "../packages/cli/src/clients/client-mode.ts";
import { decideCall } from "../packages/cli/src/hooks/decide/decide-call.ts";
import { type Project, readProject } from "../packages/cli/src/project/read-project.ts";

/*
 * What the hook of a client says to whole lines, with the recommended rules, in a project on the disk. Nothing is run.
 */

const base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-lines-")));
const root = join(base, "shop");
const before = process.env["TOOLKEEP_HOME"];
let project: Project;
let count = 0;

beforeAll(async () => {
  for (const folder of ["src", "fixtures/inner", "sub"]) mkdirSync(join(root, folder), { recursive: true });
  const files = ["package.json", "src/cart.js", "src/a.js", "fixtures/x.txt", "fixtures/inner/package.json"];
  for (const file of files) writeFileSync(join(root, file), "{}\n");
  writeFileSync(join(root, ".env"), "KEY=1\n");
  execFileSync("git", ["init", "-q", root]);
  symlinkSync("../../.git/hooks", join(root, "fixtures/inner/hooks"));
  symlinkSync("../.git/hooks/pre-commit", join(root, "src/z.js"));
  process.env["TOOLKEEP_HOME"] = join(base, "toolkeep");
  // Shells split a home with a blank into words, or do not.
  vi.stubEnv("HOME", "/home/ada");
  project = await readProject({ cwd: root });
});

afterAll(() => {
  vi.unstubAllEnvs();
  if (before === undefined) delete process.env["TOOLKEEP_HOME"];
  else process.env["TOOLKEEP_HOME"] = before;
  rmSync(base, { recursive: true, force: true });
});

async function said(command: string): Promise<string> {
  count += 1;
  const place = {
    conversation: `line-${count}`,
    folder: root,
    cwd: root,
    label: "bash",
    canAsk: true,
    clientMode: UNKNOWN_MODE,
  };
  const call = { tool: "bash" as const, arguments: { command: command.replaceAll("{project}", root) } };
  const { decided, action } = await decideCall(
    { ...place, calls: [call] },
    { client: "claude-code", project },
  );
  return decided ?? action;
}

describe("everyday lines need no approval", () => {
  test.each([
    "git status 2>&1 | tail -40",
    "cat src/cart.js > /dev/null 2>&1; echo $?",
    "cd {project} && git status && git log --oneline -5",
    'git commit -m "fix(cart): handle empty (closes #12)"',
    `git add -A && git commit -m "$(cat <<'EOF'\nfix(cart): it's done (#12)\n\n🤖 Generated\nEOF\n)"`,
    "cat > src/new.js <<'EOF'\nexport const x = `$y`;\nEOF",
    'echo "// x" >> src/cart.js',
    "sed -i 's/a/b/' src/cart.js",
    "mkdir -p src/lib && touch src/lib/index.js",
    "mv src/cart.js src/basket.js",
    "cp src/cart.js src/copy.js",
    "for f in src/c*.js; do echo $f; wc -l $f; done",
    "echo $HOME",
    "ps aux | grep node",
    "jq .scripts package.json",
    "git ls-files | xargs grep -l TODO",
    "sleep 3 && date",
    "timeout 5 ls src",
    'echo "$(nproc) cores" && echo $(nproc)',
    "wc -l * | tail -1",
    "if [ -f src/a.js ]; then cat src/a.js; fi",
    "{ pwd; ls src; } 2>&1 | head -20",
    "# look around\nls -la src",
    "git ls-files | xargs cat",
    "find src -name '*.js' | xargs grep -n x",
  ])("%j", async (line) => {
    expect(await said(line)).toBe("allow");
  });
});

describe("lines that hide where they lead are not allowed", () => {
  test.each([
    "mv fixtures/inner sub/x && cp src/a.js sub/x/hooks/pre-commit",
    "cp -r fixtures/inner sub/x && tee sub/x/hooks/pre-commit < src/a.js",
    "ln -s .git/hooks sub/h && cp src/a.js sub/h/pre-commit",
    "mv fixtures/inner sub/inner2",
    "tee src/*.js < fixtures/x.txt",
    "cp fixtures/*.txt src/",
    "cat fixtures/x.txt > package.json",
    "cp src/a.js src/z.js",
    "$(nproc) x",
    "echo $(nproc; rm src/a.js)",
    "echo $(nproc --all)",
    "wc -l * && touch ./--help",
    "mv .env src/notes.txt",
    'for f in .e*; do cat "$f"; done',
    "for f in src/*.js; do cat $f; done",
    'for f in src/*.js; do tee "$f" < fixtures/x.txt; done',
    "(cd sub); grep -r KEY .",
    "false && cd sub; grep -r KEY .",
    "cd /etc && cat passwd",
    "cat $HOME/.ssh/id_rsa",
    "echo x | python3",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "timeout 5 node -e 1",
    "NODE_OPTIONS=--require=./src/a.js git status",
    "for NODE_OPTIONS in --require=./src/a.js; do git status; done",
    "echo hi > ~/.bashrc",
    "echo x > .git/hooks/pre-commit",
    "find . -type f | xargs cat",
    "cat fixtures/x.txt | xargs cat",
    "git ls-files -o | xargs cat",
    "rm -rf ~",
    "rm -rf {project}/..",
    "find ~ -type f -delete",
    "sed -i 's/a/b/w .git/hooks/pre-commit' src/a.js",
    "echo $API_KEY",
  ])("%j", async (line) => {
    expect(await said(line)).not.toBe("allow");
  });
});
