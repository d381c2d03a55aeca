import { describe, expect, test } from "vitest";
import { isHarmlessOption } from "./harmless-options.ts";

/** The options of a command that are not known to be harmless. */
function doubtful(line: string): readonly string[] {
  const argv = line.split(" ");
  return argv.filter((word, index) => index > 0 && word.startsWith("-") && !isHarmlessOption(argv, index));
}

describe("options that a wildcard covers", () => {
  test.each([
    "git status -sb --porcelain=v2",
    "git log --oneline -n 5 -n5 -5 --format=%h -- a.txt",
    "git diff --stat -U3 --cached HEAD",
    "git show --name-only -M50% HEAD",
    "git commit -am message",
    "git stash list --oneline",
    "git --no-pager log --graph",
    "git branch -vv --show-current",
    "ls -la --color=never",
    "grep -rniE -A5 -C 2 --include=x pattern src",
    "rg -n -g x -t ts --hidden pattern",
    "find . -maxdepth 2 -name x -type f -not -empty -print0",
    "sort -rnk2 -t , -u",
    "sed -nE p",
    "tail -n 20 -f log",
    "tree -L 2 -a",
    "echo -anything --at-all",
    "npm test --silent",
    "npm test -- --watch=false --test-name-pattern total",
    "npm run lint -- --fix",
    "pnpm run lint --fix",
    "git log -- -x",
    "grep -n -- -x a.txt",
    "npm -w web run lint --if-present",
    "npm install -D --save-exact x",
    "pnpm --filter web install --frozen-lockfile",
    "npx tsc --noEmit",
    "npx --no-install vitest run --reporter=dot -t name",
    "prettier --check src",
    "cargo test -p core --all-features -j4",
    "go test -run=X --count=1 -v pkg",
    "pytest -qx -k name --tb=short",
    "make -s -j8 test",
    "docker compose logs -f --tail=5 web",
    "test -f x -a -n y",
  ])("%s", (line) => {
    expect(doubtful(line)).toEqual([]);
  });
});

describe("options that it does not", () => {
  test.each([
    ["git log --output=x", ["--output=x"]],
    ["git log --oneline --outp=x", ["--outp=x"]],
    ["git diff --no-index --ext-diff a b", ["--no-index", "--ext-diff"]],
    ["git -c core.pager=x log -p", ["-c", "-p"]],
    ["git --exec-path=./bin status -s", ["--exec-path=./bin", "-s"]],
    ["git grep -Ox pattern", ["-Ox"]],
    ["git grep -nO pattern", ["-nO"]],
    ["git fetch --upload-pack=x .", ["--upload-pack=x"]],
    ["git rebase --exec x", ["--exec"]],
    ["git commit --amend -n", ["--amend", "-n"]],
    ["git branch -D x", ["-D"]],
    ["git push -f -u", ["-f", "-u"]],
    ["git stash drop -q", ["-q"]],
    ["find . -exec x ;", ["-exec"]],
    ["find . -name x -delete -fprintf f y", ["-delete", "-fprintf"]],
    ["sort -o out --compress-program=x -no", ["-o", "--compress-program=x", "-no"]],
    ["rg --pre x -z --hostname-bin x", ["--pre", "-z", "--hostname-bin"]],
    ["tree -Lo 2 out", ["-Lo"]],
    ["printf -v name", ["-v"]],
    ["test -v name", ["-v"]],
    ["sed -i p", ["-i"]],
    ["awk -f x", ["-f"]],
    ["npm run x --prefix /etc --script-shell=x", ["--prefix", "--script-shell=x"]],
    ["npm install -gf -wf x", ["-gf", "-wf"]],
    ["npm run format -- -s --config=x -r y", ["--config=x", "-r"]],
    ["npm test -- --require x --reporter=./x.js", ["--require", "--reporter=./x.js"]],
    ["pnpm run lint --rulesdir x", ["--rulesdir"]],
    ["npm exec x -- --fix", ["--", "--fix"]],
    // The value of an option ends nothing.
    ["sort -k -- -o out", ["--", "-o"]],
    ["ls --width -- --x", ["--", "--x"]],
    ["yarn lint -s", ["-s"]],
    ["npx --yes tsc --noEmit", ["--yes"]],
    ["npx unknown-program --version", ["--version"]],
    ["vitest --reporter=./x.js -u -tu", ["--reporter=./x.js", "-u", "-tu"]],
    ["tsc -p elsewhere --outDir x", ["-p", "--outDir"]],
    ["cargo --config x test -q", ["--config"]],
    ["cargo build --target-dir x", ["--target-dir"]],
    ["go test -exec x -o y", ["-exec", "-o"]],
    ["go vet -vettool=x", ["-vettool=x"]],
    ["pytest -p x -c y", ["-p", "-c"]],
    ["python -m http.server -q", ["-m", "-q"]],
    ["python -m pytest -q -p x", ["-m", "-p"]],
    ["make -f x", ["-f"]],
    ["unknown-program -v", ["-v"]],
    ["./git status -s --output=x", ["--output=x"]],
    ["/opt/unknown-program -s", ["-s"]],
    ["constructor -v", ["-v"]],
    ["git constructor -v", ["-v"]],
  ])("%s", (line, expected) => {
    expect(doubtful(line)).toEqual(expected);
  });

  test("a word that is no option, or not there, is not one that is harmless", () => {
    expect(isHarmlessOption(["ls", "src"], 1)).toBe(false);
    expect(isHarmlessOption(["ls"], 1)).toBe(false);
    expect(isHarmlessOption(["-l"], 0)).toBe(false);
  });

  test("after a value that looks like an option nothing is taken for granted", () => {
    expect(doubtful("pnpm --filter -x install --silent")).toEqual(["-x"]);
    expect(isHarmlessOption(["git", "log", "-S", "--", "--oneline"], 3)).toBe(false);
  });
});
