import { ToolFailure } from "@toolkeep/core";
import { joinCommand } from "@toolkeep/core/internal";
import type { ParsedCommand } from "@toolkeep/core/ports";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

function parsed(line: string): Promise<ParsedCommand> {
  return parseCommand(line, { home: "/home/me" });
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
    ["a=(x $(touch x))", ["touch x"]],
    ["cat <<EOF\n$(touch x)\nEOF", ["cat", "touch x"]],
    ["{ touch x; } && (touch y)", ["touch x", "touch y"]],
    ["git(){ touch x; }; git status", ["touch x", "git status"]],
    ["for i in 1; do touch x; done", ["touch x"]],
    ["case x in x) touch x;; esac", ["touch x"]],
    ["coproc touch x", ["touch x"]],
    ["! time -p touch x", ["touch x"]],
    ["git status & touch x", ["git status", "touch x"]],
    ["ls |& touch x", ["ls", "touch x"]],
    ["$'\\x74ouch' x", ["touch x"]],
    ["t\\\nouch x", ["touch x"]],
    ["git status #'\ntouch x #'", ["git status", "touch x"]],
    ["CI=true git commit -m x", ["git commit -m x"]],
    ['rm -rf "$DIR"/x', ["rm -rf '$DIR/x'"]],
    ["printf -v 'a[$(touch x)]' y", ["printf -v 'a[$(touch x)]' y"]],
    ["cd / && ls", ["cd /", "ls"]],
    ["alias ls=x; ls", ["ls"]],
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
    expect(await reasonOf("CI=1 ls")).toBe("it sets variables");
    expect(await reasonOf("ls > out")).toBe("it has `>` outside of single quotes");
    for (const line of ["cd /x && ls", "cd .. && ls", "cd - && ls", "cd a/../.. && ls", "cd ~ && ls"])
      expect(await reasonOf(line)).toBe("`cd` changes what the commands after it mean");
    for (const line of [
      "cd a; ls",
      "cd a | ls",
      "cd a || ls",
      "cd a && ls; pwd",
      "ls && cd a",
      "cd a && git status",
    ])
      expect(await reasonOf(line)).toBe("`cd` may not be where the commands after it run");
    expect(await reasonOf("cd packages/core && ls | head -5")).toBe("plain");
    expect(await reasonOf("cat '.'[.]/other/a")).toBe("a pattern in it may step out of the folder");
    expect(await reasonOf("sudo ls")).toBe("one of its commands runs what it is given");
    expect(await reasonOf(Array(33).fill("ls").join(";"))).toBe("it has more than 32 commands");
    expect(await reasonOf(Array(32).fill("ls").join(";"))).toBe("plain");
  });
});

describe("wrappers", () => {
  test.each([
    ["sh -c 'git commit -m x && git push'", ["git commit -m x", "git push"]],
    ["bash -euo pipefail -c 'rm x'", ["rm x"]],
    ["/bin/sh -c 'sudo sh -c \"rm x\"'", ["sudo sh -c 'rm x'", "rm x"]],
    ["env -i A=1 B=2 rm x", ["rm x"]],
    ["env -S 'rm x'", ["rm x"]],
    ["sudo -u me A=1 rm x", ["rm x"]],
    ["sudo --unknown-option me rm x", ["rm x"]],
    ["xargs -a f -n 1 rm -f", ["rm -f"]],
    ["nice -n 5 timeout -k 1 5 nohup rm x", ["timeout -k 1 5 nohup rm x", "rm x"]],
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
    ["ls > out 2>> err < in", ["ls {write out} {write err} {read in}"]],
    ["ls &> a >| b <> c", ["ls {write a} {write b} {read c} {write c}"]],
    ["ls 2>&1 >&- >& out", ["ls {write out}"]],
    ["cat < ~/in > '~/out'", ["cat {read /home/me/in} {write ~/out}"]],
    ["{ ls; } > out", ["{write out}", "ls"]],
    ["> out", ["{write out}"]],
    ["bash -c 'ls > out'", ["bash -c 'ls > out'", "ls {write out}"]],
    ["cat <<EOF > out\nx\nEOF", ["cat {write out}"]],
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
        expect(await fastest(line)).toBeLessThan(200);
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
