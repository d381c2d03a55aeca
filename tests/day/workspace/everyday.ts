/** Git, in the order of a small change. */
const GIT: readonly string[] = [
  "git status",
  "git status --short",
  "git log --oneline -3",
  "git diff",
  "git branch",
  "git remote -v",
  "git ls-files | wc -l",
  "echo 'more' >> README.md && git diff --stat",
  "git stash && git status --short && git stash pop",
  "git add -A && git status --short",
  "git commit -q -m 'docs: more (see #1)' && git log --oneline | wc -l",
  "git commit -q --allow-empty -m \"$(cat <<'EOF'\nfix: it didn't work\n\nNow it does.\nEOF\n)\" && git log -1 --format=%B",
  "git checkout -q -b feature && git branch --show-current",
  "mkdir -p notes && touch notes/a.txt && mv notes/a.txt notes/b.txt && ls notes",
  "cp README.md notes/c.md && sed -i 's/more/less/' notes/c.md && diff README.md notes/c.md",
  "git status --short",
  "git add notes && git commit -q -am 'notes' && git show --stat --format=%s HEAD",
  "git checkout -q - && git merge -q feature && git log --oneline | wc -l",
  "git mv README.md READ.md && git status --short && git mv READ.md README.md",
  "git rm -q --cached notes/b.txt && git status --short; git reset -q",
  "git tag v1 && git tag",
  "git rev-parse --show-toplevel",
  "git config user.name",
  "git grep -c total || true",
  "rm -r notes && git status --short && git checkout -q -- notes",
];

/** Everything else that a shell is used for. `{tmp}` begins a name in `/tmp` that only this run uses. */
const SHELL: readonly string[] = [
  "pwd",
  "ls",
  "ls -A",
  "cat README.md",
  "wc -l README.md",
  "head -1 README.md 2>&1 | cat",
  "ls missing",
  "(exit 3)",
  "false || echo no",
  "echo $((1 + 2))",
  "for n in 1 2; do echo $n; done",
  "sleep 0.1 & wait; echo waited",
  "which node git python3 | wc -l",
  "node --version",
  "python3 --version",
  "python3 -c 'print(1 + 1)'",
  "node -e 'console.log(1 + 1)'",
  "cat /etc/os-release | head -1",
  "ls /usr/bin | wc -l",
  "uname -s",
  "date +%Y",
  "echo hi > {tmp}-note && cat {tmp}-note",
  "cat > {tmp}-script.py <<'EOF'\nprint(3)\nEOF\npython3 {tmp}-script.py",
  "T=$(mktemp) && echo a > $T && cat $T && rm $T",
  "D=$(mktemp -d) && ls -A $D && rmdir $D",
  "python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b\"abc\"))'",
  'node -e \'const made = fs.mkdtempSync(require("os").tmpdir() + "/day-"); fs.rmdirSync(made); console.log(1)\'',
  "find . -name '*.md' -not -path './node_modules/*' | sort",
  "echo $HOME | wc -l",
  "cd notes && ls && cd .. && ls | head -2",
  "tar cf {tmp}.tar notes && tar tf {tmp}.tar",
];

const TYPESCRIPT: readonly string[] = [
  "cat .npmrc .env.test certs/test.pem",
  "npm --version",
  "npm config get save-exact",
  "npm test 2>&1 | grep -E '^. (tests|pass|fail)'",
  "npm test > /dev/null 2>&1; echo $?",
  "npm run build",
  "npm run build 2>&1 | tail -1",
  "npm run lint",
  "npx tiny-lint",
  "npm run missing > /dev/null 2>&1; echo $?",
  "npm pkg get name",
  "npm ls --depth=0 2>&1 | head -1",
  "node --test --test-name-pattern total > /dev/null && echo passed",
  "sed -i 's/sum + price/sum - price/' src/cart.ts && npm test > /dev/null 2>&1; echo $?",
  "git diff --stat && git stash -q && git status --short && git stash drop -q",
  "echo '// more' >> src/cart.ts && git commit -q -am 'more' && git status --short",
  "grep -rn total src",
  "rg -n total src test | sort",
  "cat package.json | jq .scripts.test",
  "npm install --no-audit --no-fund zod 2>&1 | head -1",
  "cat node_modules/zod/package.json && git diff --stat",
  "npm ci --no-audit --no-fund 2>&1 | head -1",
  "npm view zod version",
];

const PYTHON: readonly string[] = [
  "python3 -m unittest 2>&1 | tail -1",
  "python3 -m unittest -q; echo $?",
  "python3 main.py",
  "make test 2>&1 | tail -1",
  "python3 -m compileall -q shop && git status --short",
  "sed -i 's/sum/len/' shop/cart.py && python3 -m unittest > /dev/null 2>&1; echo $?",
  "git diff --stat && git checkout -q -- shop",
  "python3 -c 'import shop.cart; print(shop.cart.__name__)'",
  "python3 -c 'import sys; print(sys.version_info[:2])'",
  "grep -rn total shop --include=*.py",
];

const MONOREPO: readonly string[] = [
  "npm test --workspaces 2>&1 | grep -c '^. pass 1'",
  "npm test -w @all/cart > /dev/null 2>&1; echo $?",
  "npm run lint",
  "npm config get fund",
  "rg -n TODO | sort",
  "git grep -n TODO",
  "ls node_modules | wc -l",
  "find packages -name '*.js' | sort",
  "du -a packages | wc -l",
  "echo '// more' >> packages/cart/src/main.js && git commit -q -am 'more' && git status --short",
];

/** Each starts npm once more, which takes longer than everything else here. A quick run leaves them out. */
const SLOW: ReadonlySet<string> = new Set([
  "npm --version",
  "npm run build 2>&1 | tail -1",
  "npx tiny-lint",
  "npm run missing > /dev/null 2>&1; echo $?",
  "npm pkg get name",
  "npm ls --depth=0 2>&1 | head -1",
  "npm view zod version",
  "npm test -w @all/cart > /dev/null 2>&1; echo $?",
]);

/** By the name of the repository. The shell is the same in all of them, so a quick run tries it in one. */
export function everydayCommands(
  repository: string,
  { quick }: { readonly quick: boolean },
): readonly string[] {
  const own: Readonly<Record<string, readonly string[]>> = {
    typescript: TYPESCRIPT,
    python: PYTHON,
    monorepo: MONOREPO,
  };
  const all = [...GIT, ...SHELL, ...(own[repository] ?? [])];
  if (!quick) return all;
  return all.filter((line) => !SLOW.has(line) && (repository === "typescript" || !SHELL.includes(line)));
}
