import { expect, test } from "vitest";
import { loadTreeSitterBash } from "../bash/tree-sitter-bash.ts";
import { parseWith } from "../parse-command.ts";
import { isBareWords } from "./bare-words.ts";
import { secondOpinion } from "./second-opinion.ts";
import { shapeText } from "./shape.ts";

const home = "/home/ada";

/** What bash 5.2 lists as its keywords and builtins, and some programs. */
const FIRST = (
  "if then else elif fi case esac for select while until do done in function time coproc alias bg bind break builtin " +
  "caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc " +
  "fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly " +
  "return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset unsetenv wait " +
  "git ls npm node cat X11 a_b-c IF Time"
).split(" ");

const ARGS = (
  "|status|-la|--oneline -5|src/a.ts ../b|a@b:c|1 2|-|--|+x|a,b|in x|do|then ls|if|[|time ls|-1.5 .5|" +
  "function|10:20|user@host:/path|coproc a|esac|case x in|fi|/a/b/|.|_|a+b|for i in a|-f x -a -d y|x y z 0"
)
  .split("|")
  .filter((args) => !args.includes("["));

const LINES = FIRST.flatMap((first) => ARGS.map((args) => (args === "" ? first : `${first} ${args}`)));

test("the second parser reads every line of bare words as its words, so it need not be asked", async () => {
  const bare = LINES.filter(isBareWords);
  expect(bare.length).toBeGreaterThan(1_500);
  const others: string[] = [];
  for (const line of bare) {
    const { shape } = await secondOpinion(line, { home, load: loadTreeSitterBash });
    const own = shapeText({ words: line.split(" "), assignments: [], redirects: [], printed: [] });
    if (shape?.length !== 1 || shape[0] !== own) others.push(line);
  }
  expect(others).toEqual([]);
});

test("a line is plain without it only if it consists of bare words, and then it is these words", async () => {
  const none = () => Promise.reject(new Error("missing"));
  for (const line of LINES) {
    const parsed = await parseWith(line, { home, load: none }).catch(() => undefined);
    if (parsed?.plain !== true) continue;
    expect(isBareWords(line)).toBe(true);
    expect(parsed.commands[0]?.argv).toEqual(line.split(" "));
  }
});

test.each([
  ...[
    "",
    " ls",
    "ls ",
    "ls  a",
    "ls\ta",
    "ls\na",
    "ls a\n",
    "ls a\\b",
    "ls ~",
    "ls a~b",
    "ls *",
    "ls a?",
    "ls [a]",
  ],
  ...[
    "ls {a,b}",
    "ls 'a'",
    'ls "a"',
    "ls $a",
    "ls `a`",
    "ls a;b",
    "ls a|b",
    "ls a&b",
    "ls a>b",
    "ls a<b",
    "ls (a)",
  ],
  ...[
    "ls #a",
    "ls !a",
    "A=1 ls",
    "ls a=b",
    "a=b",
    "-x",
    "+x",
    "./a",
    ".",
    "1 2",
    "ls é",
    "ls a\u00A0b",
    "ls a\u200Bb",
  ],
  ...["ls %1", "ls ^a^b", "ls a\0b", "ls a\rb", "if ls", "time ls", "time", "export A", "test a"],
])("it is asked about %j", (line) => {
  expect(isBareWords(line)).toBe(false);
});
