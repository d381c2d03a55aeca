import { ToolFailure } from "@toolkeep/core";
import { joinCommand } from "@toolkeep/core/internal";
import type { ParsedCommand } from "@toolkeep/core/ports";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

/** As bash reads it; `every-shell.test.ts` has what other shells read in another way. */
function parsed(line: string): Promise<ParsedCommand> {
  return parseCommand(line, { home: "/home/me", folder: "/proj", shell: "bash" });
}

/** The commands as lines, with what they redirect. */
async function commands(line: string): Promise<readonly string[]> {
  return ((await parsed(line)).commands ?? []).map(({ argv, redirects }) =>
    [joinCommand(argv), ...redirects.map(({ access, path }) => `{${access} ${path}}`)].join(" ").trim(),
  );
}

async function reasonOf(line: string): Promise<string> {
  const outcome = await parsed(line);
  return outcome.plain ? "plain" : outcome.reason;
}

async function failureOf(line: string): Promise<string> {
  try {
    return await reasonOf(line);
  } catch (error) {
    return ToolFailure.isInstance(error) ? `${error.code}: ${error.message}` : `crashed: ${String(error)}`;
  }
}

test("a pattern belongs to the command that is given the files", async () => {
  const { commands: found = [] } = await parsed("timeout 5 cat src/*.ts");
  expect(found.map(({ argv, expands }) => [argv[0], expands])).toEqual([
    ["timeout", undefined],
    ["cat", [1]],
  ]);
});

describe("plain lines", () => {
  test.each([
    ["git status", ["git status"]],
    ["git log --oneline -n 5 -- a.txt", ["git log --oneline -n 5 -- a.txt"]],
    ["git log --format='%h %s'", ["git log '--format=%h %s'"]],
    ["cat a.txt | head -n 3", ["cat a.txt", "head -n 3"]],
    ["ls && git status; pwd || true\ndate", ["ls", "git status", "pwd", "true", "date"]],
    ["echo 'a; rm -rf x'", ["echo 'a; rm -rf x'"]],
    ["echo '$(rm x)' \"a && b\"", ["echo '$(rm x)' 'a && b'"]],
    ['git commit -m "one\n\ntwo"', ["git commit -m 'one\n\ntwo'"]],
    ['grep -rn "it\'s" src/*.ts', ["grep -rn 'it'\\''s' src/*.ts"]],
    ["find . -name '*.ts' -type f", ["find . -name *.ts -type f"]],
    ["[ -f a ] && cat ~/a", ["'[' -f a ']'", "cat /home/me/a"]],
    ["ls &&\n  pwd ;", ["ls", "pwd"]],
    ["bash scripts/test.sh", ["bash scripts/test.sh"]],
    ["t''ouch \"x\"y", ["touch xy"]],
    ["echo a#b 'é'", ["echo 'a#b' 'é'"]],
    ["npm test 2>&1 | tail -40", ["npm test", "tail -40"]],
    ["npm test > /dev/null 2>&1; echo $?", ["npm test {write /dev/null}", "echo '$?'"]],
    ["cd /proj && npm test", ["cd /proj", "npm test"]],
    ["cd /proj/ && git status && git diff | head", ["cd /proj/", "git status", "git diff", "head"]],
    ["cd /proj && npm test 2>&1 | tail -3; echo $?", ["cd /proj", "npm test", "tail -3", "echo '$?'"]],
    ["cd /elsewhere && ls", ["cd /elsewhere", "ls"]],
    [
      'git commit -m "fix(cart): a {b} <c> it\'s! 🤖 (#1)"',
      ["git commit -m 'fix(cart): a {b} <c> it'\\''s! 🤖 (#1)'"],
    ],
    ['echo "a \\"b\\" \\$c \\\\ \\n 5$"', ["echo 'a \"b\" $c \\ \\n 5$'"]],
    [
      `git commit -m "$(cat <<'EOF'\nfix(a): it's "b" $c\n\nmore\nEOF\n)"`,
      ["git commit -m 'fix(a): it'\\''s \"b\" $c\n\nmore'", "cat"],
    ],
    ["cat > src/new.js <<'EOF'\nconst x = `$y`;\nEOF", ["cat {write src/new.js}"]],
    ["cat <<'EOF' > f\n$x\nEOF\nls", ["cat {write f}", "ls"]],
    ["cat <<EOF | grep x\nplain\nEOF", ["cat", "grep x"]],
    ['grep -c a <<< "abc"', ["grep -c a"]],
    ['echo "// x" >> src/cart.js', ["echo '// x' {write src/cart.js}"]],
    ["ls > out 2>> err < in", ["ls {write out} {write err} {read in}"]],
    ["cat < ~/in > '~/out'", ["cat {read /home/me/in} {write ~/out}"]],
    ["ls &> a >| b", ["ls {write a} {write b}"]],
    ["{ ls; pwd; } > out", ["{write out}", "ls", "pwd"]],
    ["(ls; pwd) 2>&1 | head", ["ls", "pwd", "head"]],
    ["for f in src/*.js; do echo $f; wc -l $f; done", ["echo src/*.js", "wc -l src/*.js"]],
    ['for f in a "b c"; do cat "x/$f"; done', ["cat x/a", "cat 'x/b c'"]],
    ["if [ -f a ]; then cat a; else ls; fi", ["'[' -f a ']'", "cat a", "ls"]],
    ["! grep -q x y || true", ["grep -q x y", "true"]],
    ["npm run dev > /tmp/dev.log 2>&1 &", ["npm run dev {write /tmp/dev.log}"]],
    ["sleep 3 & wait $!", ["sleep 3", "wait '$!'"]],
    ["CI=1 NODE_ENV=test npm test", ["npm test"]],
    ["time npm test", ["npm test"]],
    ["timeout -k 5 30s npm test", ["timeout -k 5 30s npm test", "npm test"]],
    ['while IFS= read -r f; do echo "= $f"; done < names', ["{read names}", "read -r f", "echo '= $f'"]],
    ["until npm test; do sleep 1; done", ["npm test", "sleep 1"]],
    ['for f in src/*.ts; do echo "== $f"; head "$f"; done', ["echo '== src/*.ts'", "head src/*.ts"]],
    ["export CI=1 NODE_ENV=test; npm test", ["export CI=1 NODE_ENV=test", "npm test"]],
    ["if [[ -f a/b ]]; then ls; fi", ["'[' -f a/b ']'", "ls"]],
    ["[[ ! a = b ]] || ls", ["'[' '!' a = b ']'", "ls"]],
    ["exec npm test", ["exec npm test", "npm test"]],
    ["timeout 5 echo $?", ["timeout 5 echo '$?'", "echo '$?'"]],
    ["env cat <<< a", ["env cat", "cat"]],
    ["nice -n 5 timeout 30 ls", ["nice -n 5 timeout 30 ls", "timeout 30 ls", "ls"]],
    ["set -euo pipefail; npm test", ["set -euo pipefail", "npm test"]],
    ["command -v node", ["command -v node"]],
    [`echo $HOME "$HOME/a b" \${HOME}`, ["echo /home/me '/home/me/a b' /home/me"]],
    ['ls "$PWD/src" $PWD', ["ls ./src ."]],
    ["docker run --rm -v $PWD:/app node:24 npm test", ["docker run --rm -v .:/app node:24 npm test"]],
    ['echo "$PATH" $USER', ["echo '$PATH' '$USER'"]],
    ["find . \\( -name a -o -name 'b*' \\) ! -name c", ["find . '(' -name a -o -name b* ')' '!' -name c"]],
    ["git stash show stash@{0}", ["git stash show 'stash@{0}'"]],
    ["# all of it\nnpm test # and more", ["npm test"]],
    ["npm test \\\n  -- --watch=false", ["npm test -- --watch=false"]],
    ["node --test 2>&1 | tail", ["node --test", "tail"]],
    [
      "git ls-files src | xargs grep -l TODO",
      ["git ls-files src", "xargs grep -l TODO", "grep -l TODO", "git grep -l -e '' -- src"],
    ],
    [
      "find src -name '*.ts' 2>/dev/null | sort | head -n 5 | xargs grep -n foo",
      [
        ...["find src -name *.ts {write /dev/null}", "sort", "head -n 5", "xargs grep -n foo", "grep -n foo"],
        "grep -rl -e '' --include=*.ts src",
      ],
    ],
    ["rg -l foo | xargs head -n 3", ["rg -l foo", "xargs head -n 3", "head -n 3"]],
    ["cat names | xargs -n1 basename", ["cat names", "xargs -n1 basename", "basename"]],
    ["rg -l foo | xargs ls -la", ["rg -l foo", "xargs ls -la", "ls -la"]],
    [
      "git ls-files -z | xargs -0 wc -l | tail -1",
      ["git ls-files -z", "xargs -0 wc -l", "wc -l", "git grep -l -e ''", "tail -1"],
    ],
  ])("%j", async (line, expected) => {
    expect(await reasonOf(line)).toBe("plain");
    expect(await commands(line)).toEqual(expected);
  });

  test("whatever args are joined come back the same", async () => {
    const arg = fc.oneof(
      fc.stringMatching(/^[\w@%+=:,./-]{0,12}$/),
      fc.string({ maxLength: 12, unit: fc.constantFrom(..." \t\n$`\"\\(){}<>|&;!#~*?[]'=aé-") }),
    );
    const name = fc.stringMatching(/^[a-z][a-z.-]{0,8}[0-9]$/);
    await fc.assert(
      fc.asyncProperty(name, fc.array(arg, { maxLength: 6 }), async (first, rest) => {
        const argv = [first, ...rest];
        const outcome = await parsed(joinCommand(argv));
        expect(outcome.commands?.map((command) => command.argv)).toEqual([argv]);
        // To the second parser `==` is an operator at any position.
        const mayChange = rest.some((text) => /'|^\*|^==$/.test(text));
        if (!mayChange) expect(outcome.plain).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("lines that are not plain, and what can be seen in them", () => {
  test.each([
    ["git log $(touch x)", ["git log '$(touch x)'", "touch x"]],
    ['ls "`ls \\`touch x\\``"', ["touch x"]],
    ["cat <(touch x)", ["touch x"]],
    [`echo "\${x:-$(touch x)}"`, ["touch x"]],
    ["echo $((a[$(touch x)]))", ["touch x"]],
    ["[[ -n $(touch x) ]]", ["touch x"]],
    ["[[ -n $x ]]", []],
    ["[[ a == b* ]]", []],
    ["[[ -f a && -f b ]]", []],
    ["[[ 'x[$(touch y)]' -eq 1 ]]", []],
    ["a=(x $(touch x))", ["touch x"]],
    ["cat <<EOF\n$(touch x)\nEOF", ["cat", "touch x"]],
    ["git(){ touch x; }; git status", ["touch x", "git status"]],
    ["case x in x) touch x;; esac", ["touch x"]],
    ['while read -r f; do touch "$f"; done', ["read -r f", "touch '$f'"]],
    ["while read -r f; do echo $f; done", ["echo '$f'"]],
    ['while (read -r f); do echo "$f"; done', ["echo '$f'"]],
    ['while read -r f; do printf "$f" x; done', ["printf '$f' x"]],
    ['while read -r f; do ls; done; echo "$f"', ["echo '$f'"]],
    ["IFS=/ ls", ["ls"]],
    ["while true; do cd a; done", ["cd a"]],
    ["export PATH=x; ls", ["export PATH=x", "ls"]],
    ["exec > out", ["exec {write out}"]],
    ["for f in $(ls); do touch x; done", ["touch x"]],
    ["for f in src/*; do cat $f; done", ["cat '$f'"]],
    ["for f in 'a ~/.ssh'/*; do ls $f; done", ["ls '$f'"]],
    ['for f in src/*; do rm "x/$f"; done', ["rm 'x/$f'"]],
    ["for NODE_OPTIONS in -rx; do npm test; done", ["npm test"]],
    ["for http_proxy in x; do npm test; done", ["npm test"]],
    ["for f in a b; do cd a; touch x; done", ["touch x"]],
    ["NODE_OPTIONS=-rx npm test", ["npm test"]],
    ["PAGER='touch x' git log", ["git log"]],
    ["cat $FILE", ["cat '$FILE'"]],
    ["echo $API_KEY", ["echo '$API_KEY'"]],
    ["cat $USER", ["cat '$USER'"]],
    ["touch $?", ["touch '$?'"]],
    ['gh pr create --body "$(cat notes.md)"', ["cat notes.md"]],
    ['x "$(cat <<EOF\n$(touch y)\nEOF\n)"', ["touch y"]],
    ["bash <<'EOF'\ntouch x\nEOF", ["touch x"]],
    ["timeout 5 env sh <<'EOF'\ntouch x\nEOF", ["touch x"]],
    ["python3 - <<'EOF'\nprint(1)\nEOF", ["python3 -"]],
    ["python3 <<'EOF'\nprint(1)\nEOF", ["python3"]],
    ["gnuplot <<'EOF'\nselect 1\nEOF", ["gnuplot"]],
    ["{ sh; } <<'EOF'\ntouch x\nEOF", ["sh"]],
    ['node -e "console.log(1)"', ["node -e 'console.log(1)'"]],
    ["python3 -c 'print(1)'", ["python3 -c 'print(1)'"]],
    ["cat x.py | python3", ["python3"]],
    ["timeout 5 node -pe 1", ["node -pe 1"]],
    ["> out touch x", ["touch x {write out}"]],
    ["ls > out -la", ["ls -la {write out}"]],
    ["ls > $OUT", ["ls {write /**}"]],
    ["git diff --name-only | xargs cat", ["cat"]],
    ["cat names | timeout 5 xargs cat", ["cat"]],
    ["cat names | xargs ls -la", ["ls -la"]],
    ["{ cat names; git ls-files; } | xargs cat", ["cat"]],
    ["git ls-files < names | xargs cat", ["cat"]],
    ["git ls-files | tail 5 | xargs cat", ["cat"]],
    ["git ls-files | cut -c2- | xargs cat", ["cat"]],
    ["rg 'foo -l' | xargs cat", ["cat"]],
    ["rg -e -l | xargs cat", ["cat"]],
    ["grep -l foo a b | xargs cat", ["cat"]],
    ["find . -fprint x | xargs cat", ["cat"]],
    ["find . | xargs sed -i d", ["sed -i d"]],
    ["git ls-files | xargs rm", ["rm"]],
    ["git ls-files -o | xargs grep -l x", ["grep -l x"]],
    ["git ls-files; xargs grep -l x", ["grep -l x"]],
    ["cat names | xargs grep -l x", ["grep -l x"]],
    ["git ls-files | xargs grep -lf .env", ["grep -lf .env"]],
    ["timeout --unknown 5 ls", ["ls"]],
    ["coproc touch x", ["touch x"]],
    ["! time -p touch x", ["touch x"]],
    ["ls |& touch x", ["ls", "touch x"]],
    ["$'\\x74ouch' x", ["touch x"]],
    ["t\\\nouch x", ["touch x"]],
    ["git status #'\ntouch x #'", ["git status", "touch x"]],
    ['rm -rf "$DIR"/x', ["rm -rf '$DIR/x'"]],
    ["printf -v 'a[$(touch x)]' y", ["printf -v 'a[$(touch x)]' y"]],
    ["alias ls=x; ls", ["ls"]],
    ['echo "$$(cat <<"EOF"\nx\nEOF\n)"', ["echo '$$(cat <<EOF\nx\nEOF\n)'"]],
    ['echo "$${x"y"}"', ["echo '$${xy}'"]],
    ['echo "$$[1"2"]"', ["echo '$$[12]'"]],
    ["/usr/bin/tou?h x", ["'/usr/bin/tou?h' x"]],
    ["ls *", ["ls *"]],
    ["echo a=~/x", ["echo 'a=~/x'"]],
    ["echo a=b:~/x", ["echo 'a=b:~/x'"]],
    ["cat ~'/x'", ["cat '~/x'"]],
    ['cat ~""', ["cat '~'"]],
    ["-x rm", ["-x rm"]],
    ["+x rm", ["+x rm"]],
    ["ls ['-']o", ["ls '[-]o'"]],
    ["cat ~root/x", ["cat '~root/x'"]],
    ["git status\r\nls", ["ls"]],
    ["g\u0456t status", ["'g\u0456t' status"]],
    ["ls\u00a0-la", ["'ls\u00a0-la'"]],
    ["echo hi!", ["echo 'hi!'"]],
    ["echo 'x' | sh", ["echo x", "sh"]],
    ["", []],
    ["# nothing", []],
  ])("%j", async (line, expected) => {
    expect(await reasonOf(line)).not.toBe("plain");
    expect(await commands(line)).toEqual(expect.arrayContaining([...expected]));
  });

  test("gives the reason as a message", async () => {
    expect(await reasonOf("A=1 ls")).toBe("it sets `A`, which may change what its programs do");
    expect(await reasonOf("ls >(x)")).toBe("the shell may make other words or commands of `>`");
    expect(await reasonOf('node -e "1"')).toBe("it runs code that is given to an interpreter");
    expect(await reasonOf("cd /x && git status")).toBe(
      "git runs what the configuration of another folder says",
    );
    expect(await reasonOf("cat '.'[.]/other/a")).toBe("a pattern in it may step out of the folder");
    expect(await reasonOf("sudo ls")).toBe("`sudo` runs `ls` in another way than the shell does");
    expect(await reasonOf(Array(33).fill("ls").join(";"))).toBe("it has more than 32 commands");
    expect(await reasonOf(Array(32).fill("ls").join(";"))).toBe("plain");
  });
});

describe("wrappers", () => {
  test.each([
    ["/bin/sh -c 'sudo sh -c \"rm x\"'", ["sudo sh -c 'rm x'", "rm x"]],
    ["env -i A=1 B=2 rm x", ["rm x"]],
    ["env -S 'rm x'", ["rm x"]],
    ["sudo -u me A=1 rm x", ["rm x"]],
    ["sudo --unknown-option me rm x", ["rm x"]],
    ["xargs -a f -n 1 rm -f", ["rm -f"]],
    ["stdbuf -o0 command rm x", ["rm x"]],
    ["exec -a y rm x", ["rm x"]],
    ["builtin eval rm x", ["eval rm x", "rm x"]],
    ["find . -exec rm x \\; -execdir ls {} +", ["rm x", "ls '{}'"]],
    ["watch -n 5 'rm x; ls'", ["rm x", "ls"]],
    ["trap 'rm x' EXIT", ["rm x"]],
    ["flock lock -c 'rm x'", ["rm x"]],
    ["su me -c 'rm x'", ["rm x"]],
    ["npx -c 'rm x'", ["rm x"]],
  ])("%s", async (line, expected) => {
    expect((await parsed(line)).plain).toBe(false);
    expect(await commands(line)).toEqual(expect.arrayContaining([...expected]));
  });

  test("looking a command up does not run it", async () => {
    expect(await commands("command -v rm")).toEqual(["command -v rm"]);
  });
});

describe("redirects", () => {
  test.each([
    ["ls &> a >| b <> c", ["ls {write a} {write b} {read c} {write c}"]],
    ["ls 2>&1 >&- >& out", ["ls {write out}"]],
    ["> out", ["{write out}"]],
    ["cat <<EOF > out\n$x\nEOF", ["cat {write out}"]],
    ["ls > $OUT", ["ls {write /**}"]],
    ["ls > ~root/x", ["ls {write /**}"]],
  ])("%j", async (line, expected) => {
    expect((await parsed(line)).plain).toBe(false);
    expect(await commands(line)).toEqual(expected);
  });
});

describe("lines that are refused", () => {
  test.each([
    'echo "abc; touch x',
    "echo $(touch x",
    "ls ;; touch x",
    "cat <<EOF\nx",
    "ls && ",
    "sh -c 'if'",
    "ls \0 x",
    "ls \ud800",
    `echo ${"x".repeat(16_384)}`,
    '"$('.repeat(3_000),
    "$(".repeat(200) + ")".repeat(200),
    "env ".repeat(20),
    "ls;".repeat(300),
  ])("%j", async (line) => {
    expect(await failureOf(line)).toMatch(/^effects_failed: the command line could not be parsed/);
  });

  test("what is nested without end is refused within 50 ms", async () => {
    for (const times of [3_000, 250]) expect(await fastest('"$('.repeat(times))).toBeLessThan(50);
  });

  test("whatever it is, an answer comes soon", async () => {
    const unit = fc.constantFrom(
      ..."\"'`$(){}[]<>|&;\\\n a=#*!".split(""),
      "$(",
      "${",
      "<<A",
      "if ",
      "eval ",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 6 }), async (units) => {
        const text = units.join("");
        const line = text.repeat(Math.floor(16_000 / text.length));
        expect(await fastest(line)).toBeLessThan(800);
        expect(await failureOf(line)).not.toMatch(/^crashed/);
      }),
      { numRuns: 60 },
    );
  });
});

/** Processor time in milliseconds, the shortest of three attempts, because other programs use the machine too. */
async function fastest(line: string): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const start = process.cpuUsage();
    await failureOf(line);
    const { user, system } = process.cpuUsage(start);
    shortest = Math.min(shortest, (user + system) / 1_000);
  }
  return shortest;
}
