import { describe, expect, test } from "vitest";
import { parseCommand } from "../parse-command.ts";

const home = "/home/ada";

async function whyNotPlain(line: string): Promise<string | undefined> {
  const everywhere = await parseCommand(line, { home });
  const inBash = await parseCommand(line, { home, shell: "bash" });
  expect(inBash.plain, `${line} is plain in bash`).toBe(true);
  return everywhere.plain ? undefined : everywhere.reason;
}

describe("a line that another shell reads in another way is plain in bash alone", () => {
  test.each([
    ["printf %d 'PATH[$(touch x)]'", "evaluate what `printf` is given"],
    ["printf '%s %i' a x=1", "evaluate what `printf` is given"],
    ["printf '%1$s' a", "evaluate what `printf` is given"],
    ["printf '%n' PATH", "evaluate what `printf` is given"],
    ["[ -t 'path[$(touch x)1]' ]", "evaluate what `[` is given"],
    ["test 1 -eq CI", "evaluate what `test` is given"],
    ["exit -CI", "evaluate what `exit` is given"],
    ["printf %d -CI", "evaluate what `printf` is given"],
    ["[ 1 -eq -x ]", "evaluate what `[` is given"],
    ["exit 'path[$(touch x)1]'", "evaluate what `exit` is given"],
    ["ulimit -n 'x[`touch x`]'", "evaluate what `ulimit` is given"],
    ["for path in tools; do ls; done", "`path` is a parameter of zsh"],
    ["cat =ls", "begins with `=`"],
    ["echo x > =ls", "begins with `=`"],
    ["cat ''~/.netrc", "empty quotes"],
    ['cat "$PWD:h"', "read a variable in it"],
    ['cat "$HOME[1]"', "read a variable in it"],
    ['for f in a; do cat "$fé/etc/passwd"; done', "read a variable in it"],
    ["echo $#HOME", "read a variable in it"],
    ["noglob ls", "`noglob` is a command of one shell alone"],
    ["emulate zsh -c 'touch x'", "`emulate` is a command of one shell alone"],
    ["echo '\\' '(touch x)' '\\'", "backslash in single quotes"],
    ["grep 'a\\\\b' c", "backslash in single quotes"],
    ["echo x > 'a\\'", "backslash in single quotes"],
    ["for f in 'a\\'; do ls; done", "backslash in single quotes"],
    ['echo "\\`touch x\\`"', "backtick in double quotes"],
    ["echo x >| sh", "`>|` is a pipe"],
    ["ls a[ b ]", "bracket that closes"],
    ["ls src/a**", "folders below"],
    ["kill %self", "`%self`"],
    ["ls a&b c", "`&` within a word"],
    ["[[ -f a/b ]] && ls", "the path of a program"],
    ["cd a && ls & ls", "in which folder"],
    ["read -r path; ls", "a parameter of zsh"],
    ["and ls", "`and` is a command of one shell alone"],
    ["DEBUG=a:* ls", "list of files of a variable"],
    ["set -x; ls", "shows every variable"],
    ["set -u && ls", "shows every variable"],
    ["ls \"$(cat <<'EOF'\na \\\nEOF\n)\"", "ends in a backslash"],
    ["ls \"$(cat <<'EOF'\na \\\nb\nEOF\n)\"", "ends in a backslash"],
    ["ls \"$(cat <<'EOF'\nE–mail\nEOF\n)\"", "dash loses a letter"],
    ['ls "$(cat <<Z.1\nab\nZ.é\nZ.1\n)"', "dash loses a letter"],
  ])("%j", async (line, reason) => {
    expect(await whyNotPlain(line)).toContain(reason);
  });
});

test.each(["tee a \\\n# note\ncat b", "ls \\\n \t# note\ncat b", "ls | cat \\\n#\nls"])(
  "a comment after a line that continues is not plain, because fish continues behind it: %j",
  async (line) => {
    const parsed = await parseCommand(line, { home });
    expect(parsed.plain ? undefined : parsed.reason).toBe("it has a comment");
  },
);

test.each([
  "printf '%s\\n' 'a[1] $(x)' \"$HOME\"",
  "printf '%-10s|%5d\\n' total 5 rest 7",
  "printf '100%%\\n'",
  "printf -- '---\\n'",
  "[ $? -eq 0 ] && [ -f a.txt ] || exit 1",
  'test -n "a[1]" && [ a = b ]',
  "kill -9 1234; kill -s TERM 12; wait $!; sleep 0.5s",
  "grep -rn 'foo\\.bar\\b' src",
  'git commit -m "feat!: it\'s (done) [x]"',
  "git show HEAD~1:src/a.ts HEAD^ HEAD@{1}",
  "ls src/**/*.ts x[ab]",
  "for f in src/*.ts; do wc -l $f; done",
  `echo "$PWD: $HOME/x" "\${HOME}/y" $PWD:/app`,
  "sed -n 's/a/\\n/p' a.txt 2>&1 | head -n 5 > out.txt",
  "set -ex; set -euo pipefail; set +x",
  "ls src \\\n  docs # note\n# another\ncat a.txt",
  "cat <<'EOF'\n'\\' (x) `y`\nEOF",
  "git commit -m \"$(cat <<'EOF'\nit's '\\' done\nEOF\n)\"",
  'git commit -m "$(cat <<\'EOF\'\nÉté: “naïve” – 漢 😀\n\n- Eté → `a` $b "c" \\d Eé\nEx é\nEOF\n)"',
])("a line that all shells read alike is plain without the name of the shell: %j", async (line) => {
  expect((await parseCommand(line, { home })).plain).toBe(true);
});
