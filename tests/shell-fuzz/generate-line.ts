import type { Random } from "./random.ts";

/** Bash runs what it cannot find by this name through the stub; with a slash it must be one of `STUB_PATHS`. */
const NAMES = (
  "git ls cat echo head grep rg find sed sort node npm printf true false : test rm touch wc pwd date type times " +
  "ulimit dirs help kill exit return break continue logout suspend shift bg fg disown caller"
).split(" ");

/** Most of these are refused, and must be, or must mean what they seem to. */
const RISKY_NAMES = (
  "eval exec source . command builtin export set unset alias read trap declare local let cd pushd enable sudo env xargs sh " +
  "if then fi while do done for case esac in select function time coproc [[ ! { } A=1 a[0]=1 A+=x 2 ~/x *x [x] x* -x"
).split(" ");

/** Names with a slash that are there to be run. */
export const STUB_PATHS = ["./_stubs/run.sh", "_stubs/tool", "/_stubs/ls"] as const;

const OPTIONS = [
  "-n",
  "-rf",
  "--oneline",
  "--format=x",
  "-",
  "--",
  "-la",
  "-n5",
  "--a=b=c",
  "-e",
  "+x",
  "-C",
];
const OPERANDS = [
  "a.txt",
  "src/a-b.ts",
  "HEAD~1",
  "HEAD^",
  "origin/main..x",
  "x=1",
  "a=b:c",
  "@x",
  "%h",
  "1",
  "2",
  "10",
  "a:b",
  "a,b",
  "a#b",
  "]",
  "a]",
  "=",
  "a==b",
  "~",
  "~/x",
  "in",
  "do",
  "then",
  "if",
];
const PATTERNS = [
  "src/*.ts",
  "*.ts",
  "a?",
  "x[ab]",
  "[a-z]*",
  "?",
  "a*b",
  ".*",
  "x[!a]",
  "x[^a]",
  "{a,b}",
  "a{1..3}",
];
const TILDES = [
  "a=~/x",
  "a=~",
  "a=b:~/x",
  "~x",
  "~+",
  "~-",
  "x~",
  "~'/x'",
  '~""',
  "''~/x",
  "--f=~/x",
  'a=""~/x',
  "~/'a b'",
];
const EXPANSIONS = [
  "$x",
  `\${x:-ls}`,
  "$(ls)",
  "`ls`",
  "$((1+1))",
  "$[1]",
  "$'a\\x41'",
  '$"a"',
  "<(ls)",
  ">(ls)",
  "$",
  "$@",
  "!!",
  "!x",
];
const REDIRECTS = [
  "> out",
  "2>&1",
  ">>x",
  "< in",
  "<<< x",
  "&> x",
  "1>x",
  "{fd}>x",
  "<<EOF\nx\nEOF\n",
  "<<'E'\n$x\nE\n",
];
const ESCAPES = ["\\ ", "\\n", "\\\n", "\\;", '\\"', "\\'", "\\\\", "\\$", "\\a"];
const JOINTS = [" ", " ", " ", "  ", "\t", " \t "];
const OPERATORS = [
  " && ",
  " || ",
  "; ",
  " | ",
  "\n",
  ";",
  "&&",
  "||",
  "|",
  " &&\n ",
  " ||\n",
  " |\n",
  "\n\n",
  ";\n",
  " ; \n\t",
];
const RISKY_OPERATORS = [
  " & ",
  "&",
  " |& ",
  ";;",
  ";&",
  "\r\n",
  "\r",
  " # x\n",
  "#",
  " #'\n",
  "( ",
  " )",
  "{ ",
  "; }",
  "\\\n",
  "\n&&",
  "; ;",
];
const QUOTED = [..." \t\n$`\\!;&|<>(){}[]*?~#=^'\"-aZ09éß漢\u200b\u00a0\u0001\u001b\r"];
const SIMPLE = [..." \t\n;&|[]*?~#=^'-aZ09%@:,./+"];

/** A command line: mostly of the plain kind, with traps strewn in. */
export function generateLine(random: Random): string {
  const risk = random.pick([0, 0, 0.02, 0.05, 0.15]);
  const commands = random.some(1, random.pick([1, 1, 2, 4]), () => command(random, risk));
  const joined = commands.reduce((line, next) => line + operator(random, risk) + next);
  const line = random.chance(0.1)
    ? joined + random.pick([";", "\n", " ", " ;", "\n\n", ";\n", " &&", "\\", "&"])
    : joined;
  return (random.chance(0.05) ? random.pick([" ", "\n", "\t", "\ufeff", ";"]) : "") + line;
}

function operator(random: Random, risk: number): string {
  return random.pick(random.chance(risk) ? RISKY_OPERATORS : OPERATORS);
}

function command(random: Random, risk: number): string {
  if (random.chance(0.04)) return `[ ${random.some(1, 3, () => word(random, risk)).join(" ")} ]`;
  const words = random.some(0, 4, () => word(random, risk));
  return [name(random, risk), ...words].reduce((line, next) => line + random.pick(JOINTS) + next);
}

function name(random: Random, risk: number): string {
  const chosen = random.chance(risk) ? random.pick(RISKY_NAMES) : random.pick(NAMES);
  if (random.chance(0.06)) return random.pick(STUB_PATHS);
  return random.chance(0.08) ? splitByQuotes(random, chosen) : chosen;
}

/** `l''s`, `"ls"`, `l"s"`: the same name to a shell. */
function splitByQuotes(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  return random.pick([`${head}''${tail}`, `"${text}"`, `${head}"${tail}"`, `'${head}'${tail}`, `''${text}`]);
}

function word(random: Random, risk: number): string {
  return random.some(1, random.pick([1, 1, 1, 2, 3]), () => piece(random, risk)).join("");
}

function piece(random: Random, risk: number): string {
  if (random.chance(risk))
    return random.pick(random.pick([TILDES, EXPANSIONS, REDIRECTS, ESCAPES, PATTERNS, RISKY_NAMES]));
  const kind = random.below(20);
  if (kind < 4) return random.pick(OPTIONS);
  if (kind < 11) return random.pick(OPERANDS);
  if (kind < 14) return `'${text(random, QUOTED).replaceAll("'", "")}'`;
  if (kind < 17) return `"${text(random, SIMPLE)}"`;
  if (kind < 18) return `"${text(random, QUOTED).replaceAll('"', "")}"`;
  return random.pick(kind < 19 ? PATTERNS : TILDES);
}

function text(random: Random, units: readonly string[]): string {
  return random.some(0, 6, () => random.pick(units)).join("");
}

/** Every trap, for a generator that changes a plain line. */
export const TRAPS: readonly string[] = [
  ...RISKY_NAMES,
  ...PATTERNS,
  ...TILDES,
  ...EXPANSIONS,
  ...REDIRECTS,
  ...ESCAPES,
  ...OPERATORS,
  ...RISKY_OPERATORS,
  ...QUOTED,
  "'",
  '"',
  " ",
  "''",
  '""',
];
