/** Bash runs what it cannot find by this name through the stub; with a slash it must be one of `STUB_PATHS`. */
export const NAMES = (
  "git ls cat echo head grep rg find sed sort node npm printf true false : test rm touch wc pwd date type times " +
  "ulimit dirs help kill exit return break continue logout suspend shift bg fg disown caller"
).split(" ");

/** Most of these are refused, and must be, or must mean what they seem to. */
export const RISKY_NAMES = (
  "eval exec source . command builtin export set unset alias read trap declare local let cd pushd enable sudo env xargs sh " +
  "if then fi while do done for case esac in select function time coproc [[ ! { } A=1 a[0]=1 A+=x 2 ~/x *x [x] x* -x"
).split(" ");

/** Names with a slash that are there to be run. */
export const STUB_PATHS = ["./_stubs/run.sh", "_stubs/tool", "/_stubs/ls"] as const;

export const OPTIONS = [
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
export const OPERANDS = [
  "{}",
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
export const PATTERNS = [
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
export const TILDES = [
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
export const EXPANSIONS = [
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
export const REDIRECTS = [
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
/** Files that redirects of a plain line may open in the jail. */
export const OPENED_FILES = ["/ws/_files/a", "/ws/_files/b.ts", "/ws/_files/c d"] as const;

export const PLAIN_REDIRECTS = [
  "> _files/a",
  ">> _files/a",
  ">_files/b.ts",
  "2> _files/b.ts",
  "2>&1",
  "> /dev/null 2>&1",
  "> /dev/null",
  "2>/dev/null",
  ">&2",
  "1>&2",
  "&> _files/a",
  "&>> /ws/_files/a",
  "< _files/a",
  "> '_files/c d'",
  '> "_files/c d"',
  "> _files/a 2>&1",
  "2>&1 > _files/a",
  "> _files/c\\ d",
  ">| _files/a",
  "< _files/a > _files/b.ts",
];
export const VARIABLES = [
  "$HOME",
  '"$HOME"',
  "$HOME/x",
  '"$HOME/a b"',
  `\${HOME}`,
  "$PWD",
  '"$PWD"',
  "$PWD/x",
  '"$PWD"/x',
  "$PWD:/app",
  "$PWDx",
  "$?",
  '"$?"',
  '"is: $?"',
  "$$",
  "$#",
  "$f",
  '"$f"',
  `"\${f}"`,
  "x$f",
  '"x$f"',
  "$PATH",
  '"$USER"',
  "$IFS",
  '"$@"',
  "$1",
];
export const DOCUMENTS = [
  "it's plain",
  "$x `y` \\",
  'fix(cart): a "b" (#1)\n\nmore',
  "",
  "EOF2\n EOF",
  "a\n\n",
  "é 漢",
  ")",
  "EOF)",
];
export const ASSIGNMENTS = [
  "CI=1",
  "NODE_ENV=test",
  "FORCE_COLOR='0'",
  'DEBUG="a:*"',
  "LANG=C",
  "PATH=x",
  "A=b",
  "CI=$x",
  "CI=",
];
export const LOOP_WORDS = [
  ...[
    "a",
    "b.ts",
    "src/*.ts",
    "src/*.ts",
    "'x y'",
    "-n",
    "1",
    "2",
    '"a*"',
    "~/x",
    "a",
    "b.ts",
    "x/y",
    "1",
    "3",
  ],
  ...["''", "$x", "{1..2}", "[a]"],
];
export const COMMENTS = ["# a comment", "# it's one", "#", "# a; b", "# $(ls)"];
export const ESCAPES = ["\\ ", "\\n", "\\\n", "\\;", '\\"', "\\'", "\\\\", "\\$", "\\a"];
export const JOINTS = [" ", " ", " ", "  ", "\t", " \t "];
export const OPERATORS = [
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
export const RISKY_OPERATORS = [
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
export const QUOTED = [..." \t\n$`\\!;&|<>(){}[]*?~#=^'\"-aZ09éß漢\u200b\u00a0\u0001\u001b\r"];
export const DOUBLE_QUOTED = ['\\"', "\\$", "\\\\", "\\`", "\\n", "\\!", "(x)", "{a}", "$ ", "$HOME", "$f"];
export const SIMPLE = [..." \t\n;&|[]*?~#=^'-aZ09%@:,./+"];

/** Every trap, for a generator that changes a plain line. */
export const TRAPS: readonly string[] = [
  ...RISKY_NAMES,
  ...PATTERNS,
  ...TILDES,
  ...EXPANSIONS,
  ...REDIRECTS,
  ...PLAIN_REDIRECTS,
  ...VARIABLES,
  ...ASSIGNMENTS,
  ...COMMENTS,
  ...ESCAPES,
  ...OPERATORS,
  ...RISKY_OPERATORS,
  ...QUOTED,
  "for f in a b; do ",
  "; done",
  "<<'EOF'\n",
  "\nEOF",
  "'",
  '"',
  " ",
  "''",
  '""',
];
