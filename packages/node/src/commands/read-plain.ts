import { isFolderBelow } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { secondOpinion } from "./second-opinion.ts";
import type { ParseBash } from "./tree-sitter-bash.ts";

/** What the first parser found in a line. */
interface SeenCommands {
  readonly commands: readonly SimpleCommand[];
  /** One of them runs other commands that its args name. */
  readonly hasWrapper: boolean;
}

interface PlainOptions {
  readonly home: string;
  /** Brings the second parser. */
  readonly load: () => Promise<ParseBash>;
}

const MOST_PLAIN_COMMANDS = 32;
const AMBIGUOUS = "it can be read in more than one way";

/**
 * Why a line is not plain; `undefined` if it is. Our own strict reader comes first, because it refuses most; the second
 * parser comes last, so that it gets only short and simple lines.
 */
export async function whyNotPlain(
  line: string,
  seen: SeenCommands,
  options: PlainOptions,
): Promise<string | undefined> {
  const reading = readPlain(line, options.home);
  if (reading.commands === undefined) return reading.reason;
  return whyUnsafe(reading, seen) ?? (await whyDoubted(line, reading, options));
}

function whyUnsafe(reading: PlainLine, seen: SeenCommands): string | undefined {
  if (reading.commands.length === 0) return "there is no command in it";
  if (seen.hasWrapper) return "one of its commands runs what it is given";
  if (seen.commands.length > MOST_PLAIN_COMMANDS) return `it has more than ${MOST_PLAIN_COMMANDS} commands`;
  const moving = reading.commands.findIndex(([name]) => name === "cd");
  if (moving >= 0 && !movesFirst(moving, reading)) return "`cd` may not be where the commands after it run";
  const changing = reading.commands.find(changesShell);
  if (changing !== undefined) return `\`${changing[0]}\` changes what the commands after it mean`;
  return isSeen(reading.commands, seen.commands) ? undefined : AMBIGUOUS;
}

async function whyDoubted(
  line: string,
  { commands, operators }: PlainLine,
  options: PlainOptions,
): Promise<string | undefined> {
  const opinion = await secondOpinion(line, options);
  if (opinion.commands === undefined) return opinion.reason;
  const between = operators.filter((operator) => operator !== "\n");
  const isSame =
    isSameList(between, opinion.operators) &&
    commands.length === opinion.commands.length &&
    commands.every((argv, index) => isSameList(argv, opinion.commands[index] ?? []));
  return isSame ? undefined : AMBIGUOUS;
}

/** Builtins that change where or what the rest runs, or that evaluate what they are given. */
const CHANGING: ReadonlySet<string> = new Set(
  (
    "cd pushd popd eval source . alias unalias set shopt export unset declare typeset local readonly let read mapfile " +
    "readarray getopts trap exec builtin command enable hash history fc bind complete compgen compopt umask jobs wait"
  ).split(" "),
);

/**
 * `cd folder && …`: nothing after it runs if the folder does not exist. Git would run what the configuration of a
 * folder says.
 */
function movesFirst(at: number, { commands, operators }: PlainLine): boolean {
  const isAlone = at === 0 && commands.findLastIndex(([name]) => name === "cd") === 0;
  const isBound = operators[0] === "&&" && operators.every((one) => one === "&&" || one === "|");
  return isAlone && isBound && !commands.some(([name = ""]) => /(?:^|\/)git$/i.test(name));
}

function changesShell(argv: readonly string[]): boolean {
  const [name = ""] = argv;
  if (name === "cd" && argv.length === 2) return !isFolderBelow(argv[1] ?? "");
  if (CHANGING.has(name)) return true;
  return (name === "printf" || name === "test" || name === "[") && argv.some((arg) => /^-[vR]/.test(arg));
}

function isSeen(reading: readonly (readonly string[])[], seen: readonly SimpleCommand[]): boolean {
  return (
    reading.length === seen.length &&
    reading.every((argv, index) => {
      const other = seen[index];
      return other !== undefined && other.redirects.length === 0 && isSameList(argv, other.argv);
    })
  );
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** The commands of a line that needs no shell to be understood. */
interface PlainLine {
  readonly commands: readonly (readonly string[])[];
  /** What separates them. */
  readonly operators: readonly string[];
}

/** The commands, or why the line is not plain. */
type PlainReading = PlainLine | { readonly commands?: undefined; readonly reason: string };

/**
 * Reads the plainest of command lines: args, quoted or not, with `&&`, `||`, `;`, `|` and newlines between commands. It
 * supports nothing else on purpose. Where this reading and the parser's agree, there is nothing that both could have
 * misunderstood in the same way.
 */
export function readPlain(line: string, home: string): PlainReading {
  const commands: (readonly string[])[] = [];
  const operators: string[] = [];
  let command: string[] = [];
  let at = 0;
  while (at < line.length) {
    const blank = matchAt(BLANK, line, at);
    const operator = blank === "" ? matchAt(OPERATOR, line, at) : "";
    if (blank !== "") at += blank.length;
    else if (operator === "") {
      const arg = readArg(line, at, { isName: command.length === 0, home });
      if (typeof arg === "string") return { reason: arg };
      command.push(arg.value);
      at = arg.end;
    } else {
      const isNewline = operator === "\n";
      operators.push(operator);
      if (command.length > 0) commands.push(command);
      else if (!isNewline) return { reason: `there is nothing before \`${operator}\`` };
      command = [];
      at = isNewline || operator === ";" ? at + operator.length : afterLineEnds(line, at + operator.length);
    }
  }
  if (command.length > 0) commands.push(command);
  return { commands, operators };
}

const BLANK = /[ \t]+/y;
/** A lone `&` and a `|&` are none. */
const OPERATOR = /&&|\|\||;(?!;)|\|(?!&)|\n/y;
const LINE_ENDS = /[ \t\n]*/y;
const UNQUOTED = /[\w@%+=:,./^~*?[\]#-]+/y;
const SINGLE_QUOTED = /'[^']*'/y;
const DOUBLE_QUOTED = /"[^"$`\\!(){}<>\p{Cc}\P{ASCII}]*(?:[\n\t][^"$`\\!(){}<>\p{Cc}\P{ASCII}]*)*"/uy;

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
}

function afterLineEnds(line: string, at: number): number {
  return at + matchAt(LINE_ENDS, line, at).length;
}

/** One argument, or why it is not plain. */
function readArg(
  line: string,
  start: number,
  { isName, home }: { readonly isName: boolean; readonly home: string },
): { readonly value: string; readonly end: number } | string {
  let value = "";
  let isWild = false;
  let end = start;
  for (;;) {
    const bare = matchAt(UNQUOTED, line, end);
    if (bare !== "") {
      const next = line.charAt(end + bare.length);
      const error = bareError(bare, { isEmptySoFar: value === "", isAtStart: end === start, next });
      if (error !== undefined && !(isName && /^\[\[?$/.test(bare))) return error;
      value += end === start && bare.startsWith("~") ? home + bare.slice(1) : bare;
      end += bare.length;
      isWild ||= /[*?[]/.test(bare);
      continue;
    }
    const quoted = matchAt(SINGLE_QUOTED, line, end) || matchAt(DOUBLE_QUOTED, line, end);
    if (quoted === "") break;
    value += quoted.slice(1, -1);
    end += quoted.length;
  }
  if (end < line.length && !/[ \t\n;&|]/.test(line.charAt(end))) return characterError(line, end);
  if (isWild && /(?:^|\/)\.[^/]*[*?[]/.test(value)) return "a pattern in it may step out of the folder";
  if (end === start) return "it runs something in the background or joins both outputs";
  return isName && !isPlainName(value) ? nameError(value) : { value, end };
}

/** What a shell would make something else of. */
function bareError(
  bare: string,
  { isEmptySoFar, isAtStart, next }: { isEmptySoFar: boolean; isAtStart: boolean; next: string },
): string | undefined {
  if (isAtStart && bare.startsWith("#")) return "it has a comment";
  // Next to a quote a `~` is a letter like any other.
  const isUnclear = bare === "~" ? /["']/.test(next) : /^~(?!\/)/.test(bare);
  if (isAtStart && isUnclear) return "it names a home folder that is unknown here";
  // In an argument that looks like an assignment, at any position.
  if (/[=:]~/.test(bare)) return "a `~` in it may become the home folder";
  if (isEmptySoFar && /^[*?[]/.test(bare))
    return "an argument begins with a pattern and may become an option, depending on the files there are";
  return undefined;
}

function characterError(line: string, at: number): string {
  const character = line.charAt(at);
  if (character === '"' || character === "'") return "what is in its double quotes is not plain text";
  if (/[\p{Cc}\P{ASCII}]/u.test(character)) return "it has characters outside of quotes that are hard to see";
  return `it has ${character === "`" ? "a backtick" : `\`${character}\``} outside of single quotes`;
}

/** A line that begins with a dash or a plus would be an option to the shell that it is given to. */
const PLAIN_NAME = /^(?:[\w@:,./][\w@+:,./-]*|\[)$/;

function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name) && !KEYWORDS.has(name);
}

function nameError(name: string): string {
  if (name.includes("=")) return "it sets variables";
  return KEYWORDS.has(name)
    ? `\`${name}\` is a keyword of the shell`
    : "the name of a command is a pattern or not plain";
}

const KEYWORDS: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac in select function coproc time [[".split(" "),
);
