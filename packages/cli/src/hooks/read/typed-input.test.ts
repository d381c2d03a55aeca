import { expect, test } from "vitest";
import { typedInput } from "./typed-input.ts";

const refused = async (command: string, isTyped = true) =>
  (
    await typedInput({
      calls: [{ tool: "bash", arguments: { command } }],
      cwd: "/project",
      isTyped,
    })
  ).get(command);

test.each([
  ...[
    "bash",
    "bash -i",
    "sh -s",
    "zsh --login",
    "env A=1 bash",
    "timeout 5 bash -i",
    "exec bash",
    "cat | sh",
  ],
  ...["python3", "python3 -i a.py", "node", "node -i", "irb", "sqlite3 a.db", "psql", "bash -c 'python3 -i'"],
  ...["less a", "less < a", "git log | less", "vim a", "ssh host", "docker exec -it web sh", "sudo -i"],
  ...[
    "git commit",
    "git commit --amend",
    "git rebase -i HEAD~2",
    "git add -p",
    "git merge x",
    "git tag -a v1",
  ],
  ...[
    "ssh -p 22 host",
    "ssh -tt host ls",
    "ssh host bash",
    "ssh host 'cd x && vim a'",
    "ssh -i key host less a",
  ],
  ...["gh pr edit 12", "gh pr edit 12 -R o/r", "gh issue edit --repo o/r 3"],
  ...["python3 manage.py shell", "bin/rails console", "npm exec", "npm run console", "nohup bash"],
  ...["true; bash <<'E'\nE\nbash -i\n", "bash <<'E'\nls\nE\nbash <<'E'\nE\npython3", "sudo -u x bash"],
  ...["ls && (cd src; python3)", "FOO=1 node", "/usr/bin/env python3 -i", "bash --norc", "script -qc bash x"],
])("a line that waits for typed commands is refused: %s", async (line) => {
  expect(await refused(line)).toContain("takes commands while it runs");
  expect(await refused(line, false)).toBeUndefined();
});

test.each([
  ...["ssh host uptime", "ssh -p 22 -i key me@host 'cd x && ls'", "ssh host bash -c ls"],
  ...["gh repo edit --visibility public", "gh pr edit 12 -R o/r --add-label x", "gh issue edit 3 -t x"],
  ...[
    "git commit -m x",
    "git commit -am x",
    "git log",
    "git merge --no-edit x",
    "git rebase main",
    "git add -A",
  ],
  ...[
    "git commit -F- <<'E'\nx\nE",
    "git revert --no-edit HEAD",
    "git checkout -- a",
    "git tag v1",
    "git stash",
  ],
  ...[
    "node --version",
    "python3 -c 'print(1)'",
    "python3 a.py -i",
    "bash -c 'ls'",
    "bash a.sh",
    "node --test",
  ],
  ...["python3 - <<'PY'\nprint(1)\nPY", "python3 -m pytest -q", "node -e '1'", "sh < a.sh", "bun test"],
  ...["sqlite3 a.db 'select 1'", "psql -c 'select 1'", "npm exec tsc", "rg console src", "docker ps"],
  ...["npm test", "make", "cargo test", "deno test", "ruby a.rb", "perl -pe 1 a", "php -r 1", "npx tsx a.ts"],
])("a line that does not is not: %s", async (line) => {
  expect(await refused(line)).toBeUndefined();
});
