import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUG_FIX } from "../day/hook/bug-fix.ts";
import { COMMAND_PAYLOADS } from "../day/hook/payloads-commands.ts";
import { everydayCommands } from "../day/workspace/everyday.ts";
import { generateLine } from "./generate-line.ts";
import { NAMES, OPERANDS, TRAPS } from "./line-parts.ts";
import type { Random } from "./random.ts";

/** A program that no plain line names outside of quotes: where it starts, a shell executed what was a word. */
export const MARK = "mark";

const LONGEST_LINE = 600;

/** Texts that a shell may execute, evaluate or take apart, in quotes or where a word may stand. */
const TEXTS = [
  ...["$(mark)", "`mark`", "(mark)", "path[$(mark)1]", "PATH[$(mark)]", "x[`mark`]", "a[$(mark)]", "PATH=0"],
  ...[
    "=(mark)",
    "<(mark)",
    "*(e:mark:)",
    `\${(e):-$(mark)}`,
    "; mark #",
    "; mark ;",
    "\n mark\n",
    "| mark",
    "&& mark",
  ],
  ...[
    "\\",
    "\\\\",
    "a\\",
    "\\'",
    "\\n",
    "\\x3b",
    "\\c",
    "\\(mark\\)",
    "{mark}",
    "{a,b}",
    "%(mark)",
    "~[mark]",
    "mark",
  ],
  ...[
    "1+x[$(mark)]",
    "x=$(mark)",
    ".sh.value",
    "0",
    "12",
    "s",
    "end",
    "begin; mark; end",
    ")",
    "(",
    "!mark",
    "[",
    "$HOME",
  ],
  ...["Á", "È\\", "\ufdd0", "\ufdd2(mark)", "\uf600", "\ue000$", "é", "漢"],
];

/** What a shell may look at where it only looks for the end of a here-document. */
const DOCUMENT_PARTS = [
  ...["\n", "\n", "\n\n", "\\\n", "\\\\\n", "\t", " ", "'", '"', "`", "it's", "<<EOF", "<<'A'\n", "\nA\n"],
  ...[
    "case x in",
    " x) ",
    "esac",
    "))",
    "$((",
    "\n)",
    '\n)"',
    "$'",
    "${",
    "}",
    "# ",
    "’",
    "– ",
    "😀",
    "fix: a",
  ],
];

/** Bare words that mean something to one shell. */
const BARE = [
  ...[
    "=ls",
    "=",
    "==",
    "=mark",
    "%self",
    "%1",
    "^mark",
    "a^b",
    "mark^",
    "#mark",
    "a#mark",
    "<1-5>",
    "<->",
    "<1-2> _files/a",
  ],
  ...[
    "~+",
    "~mark",
    "HEAD@{1}",
    "@{2}",
    "**",
    "src/**/x",
    "a**b",
    "x[1]",
    "x[mark]",
    "a:b",
    "+1",
    "-1",
    "\\(mark\\)",
    "\\;mark",
  ],
  ...[
    "$HOME[1]",
    '"$HOME[1]"',
    "$HOME:h",
    '"$PWD:t"',
    "$PWD:s/a/b/",
    "$#HOME",
    '"$#mark"',
    "$?[1]",
    "$HOME.x",
    `\${HOME}[1]`,
  ],
  ...[
    '"$HOMEé"',
    '"$\u00a0x"',
    "$PWD^x",
    "$PWD/x",
    '"$HOME"(mark)',
    "\\x41",
    "\\u0041",
    "\\cA",
    "\\.",
    "\\@",
    "\\`mark\\`",
    '"\\`mark\\`"',
    "''#mark",
  ],
];

/** Builtins of one shell or another, some of which evaluate what they are given. */
const HEADS = [
  ...[
    "printf %d",
    "printf %i",
    "printf %x",
    "printf %f",
    "printf %c",
    "printf %n",
    "printf '%*d'",
    "printf %s",
    "printf '%1$s'",
  ],
  ...[
    "printf '%s\\n'",
    "printf %b",
    "printf %q",
    "test -t",
    "test -n",
    "[ -t",
    "[ 1 -eq",
    "test 1 -lt",
    "[ -f",
    "[ -o",
    "[ x =",
    "[ -N",
  ],
  ...[
    "exit",
    "return",
    "break",
    "continue",
    "shift",
    "logout",
    "kill",
    "wait",
    "ulimit -n",
    "umask",
    "fg",
    "bg",
    "jobs",
    "times",
  ],
  ...[
    "sleep",
    "type",
    "which",
    "where",
    "whence",
    "print",
    "print -P",
    "print -n",
    "r",
    "hist",
    "log",
    "noglob",
    "nocorrect",
  ],
  ...[
    "and",
    "or",
    "not",
    "begin;",
    "end;",
    "string match",
    "math",
    "count",
    "contains",
    "random",
    "open",
    "set",
    "emulate zsh -c",
  ],
  ...[
    "repeat 2",
    "foreach",
    "integer",
    "float",
    "vared",
    "sched +0",
    "zmodload",
    "autoload",
    "command -v",
    "limit",
    "dirs",
    "history",
  ],
  ...[
    "builtin",
    "status",
    "functions",
    "abbr",
    "emit",
    "path",
    "realpath",
    "echotc",
    "getln",
    "echo",
    "cd",
    "true",
    ":",
    "pwd",
    "suspend",
  ],
];

const JOINS = [
  " ",
  " ",
  " ",
  "; ",
  " && ",
  " || ",
  " | ",
  "\n",
  " & ",
  " >| ",
  " > _files/a ",
  "; and ",
  "; or ",
  "; end; ",
];

const LOOPS = [
  "path",
  "fpath",
  "cdpath",
  "argv",
  "status",
  "f",
  "commands",
  "options",
  "aliases",
  "prompt",
  "module",
  "i",
  "watch",
];

let seeds: readonly string[] | undefined;

/** Lines of recorded days and of the attack corpus. */
function seedLines(): readonly string[] {
  const folder = join(import.meta.dirname, "../attacks");
  const corpus = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"))
    .map((text) => (JSON.parse(text) as { readonly input?: { readonly command?: unknown } }).input?.command);
  const days = [...COMMAND_PAYLOADS, ...BUG_FIX].map(({ call }) => call.input["command"]);
  const everyday = ["typescript", "python", "monorepo"].flatMap((name) =>
    everydayCommands(name, { quick: false }),
  );
  const texts = [...corpus, ...days, ...days, ...everyday, ...everyday];
  return texts
    .filter((text) => typeof text === "string")
    .map((text) => text.replaceAll("\0", "").replaceAll("{project}", "/ws"));
}

/** A line for all shells: what bash alone is tried with, lines of days and attacks with traps in them, and builtins. */
export function shellLine(random: Random): string {
  seeds ??= seedLines();
  const kind = random.below(10);
  let line = kind < 3 ? generateLine(random) : kind < 5 ? random.pick(seeds) : trapLine(random);
  const changes = random.pick(kind < 5 ? [0, 1, 1, 2] : [0, 0, 0, 1]);
  for (let count = 0; count < changes; count += 1) line = changed(random, line);
  return [...line].slice(0, LONGEST_LINE).join("").toWellFormed();
}

function trapLine(random: Random): string {
  const command = () => {
    const head = random.chance(0.45) ? random.pick(HEADS) : `${random.pick(NAMES)}`;
    const words = [head, ...random.some(0, 4, () => trapWord(random))].join(" ");
    return head.startsWith("[") ? `${words} ]` : words;
  };
  const line = random.chance(0.7)
    ? command()
    : random.some(2, 3, command).reduce((text, next) => text + random.pick(JOINS) + next);
  if (random.chance(0.06))
    return `for ${random.pick(LOOPS)} in ${random.pick(["a", "./x b", "_stubs"])}; do ${line}; done`;
  if (random.chance(0.05)) return documentLine(random);
  return line;
}

/** A here-document, on its own or printed into an arg. */
function documentLine(random: Random): string {
  const delimiter = random.pick(["EOF", "EOF", "E.1", "done"]);
  const written = random.pick([`'${delimiter}'`, `'${delimiter}'`, `"${delimiter}"`, delimiter]);
  const start = () => delimiter.slice(0, random.below(delimiter.length + 1));
  const part = () =>
    random.pick([() => random.pick(TEXTS), () => random.pick(DOCUMENT_PARTS), () => `\n${start()}`])();
  const document = `cat <<${written}\n${random.some(1, 6, part).join("")}\n${delimiter}`;
  if (random.chance(0.2)) return `${document}\nls ${trapWord(random)}`;
  const after = random.pick(["", ` ${trapWord(random)}`, ` if"$(cat <<'EOF'\nx\nEOF\n)"`, "\nls y"]);
  return `git commit -m "${random.pick(["", "a "])}$(${document}\n)${random.pick(["", " b"])}"${after}`;
}

function trapWord(random: Random): string {
  const text = () => random.some(1, 3, () => random.pick(TEXTS)).join(random.pick(["", " "]));
  const kind = random.below(10);
  if (kind < 4) return `'${text().replaceAll("'", "")}'`;
  if (kind < 6)
    return `"${text()
      .replaceAll(/[$`]\(?/g, "")
      .replaceAll('"', "")}"`;
  if (kind < 8) return random.pick(BARE);
  if (kind < 9) return random.pick(OPERANDS);
  return random.pick(["a", "-n", "1", "x", "''", '""']) + random.pick(BARE);
}

/** The line with something put in, taken out or doubled at any place. */
function changed(random: Random, line: string): string {
  const at = random.below(line.length + 1);
  const to = Math.min(line.length, at + 1 + random.below(4));
  const [before, cut, after] = [line.slice(0, at), line.slice(at, to), line.slice(to)];
  const trap = () =>
    random.chance(0.5) ? random.pick(TRAPS) : random.chance(0.5) ? trapWord(random) : random.pick(TEXTS);
  switch (random.below(5)) {
    case 0:
      return before + after;
    case 1:
      return before + cut + cut + after;
    case 2:
      return `${before} ${trapWord(random)}${cut}${after}`;
    case 3:
      return `${line} ${trapWord(random)}`;
    default:
      return before + trap() + cut + after;
  }
}
