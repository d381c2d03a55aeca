import { isFolderBelow } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { type PlainLine, readPlain } from "./read-plain.ts";
import { secondOpinion } from "./second-opinion.ts";
import type { ParseBash } from "./tree-sitter-bash.ts";

/** What the first parser found in a line. */
export interface SeenCommands {
  readonly commands: readonly SimpleCommand[];
  /** One of them runs other commands that its words name. */
  readonly hasWrapper: boolean;
}

export interface PlainOptions {
  readonly home: string;
  /** Brings the second parser. */
  readonly load: () => Promise<ParseBash>;
}

const MOST_PLAIN_COMMANDS = 32;
const AMBIGUOUS = "it can be read in more than one way";

/**
 * Why a line does not count as plain; `undefined` where it does. Our own strict reader comes first, because
 * it refuses most; the second parser comes last, so that it sees nothing but short and simple lines.
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

/** `cd folder && …`: nothing after it runs where it did not lead. Git would take a folder's word for what to run. */
function movesFirst(at: number, { commands, operators }: PlainLine): boolean {
  const isAlone = at === 0 && commands.findLastIndex(([name]) => name === "cd") === 0;
  const isBound = operators[0] === "&&" && operators.every((one) => one === "&&" || one === "|");
  return isAlone && isBound && !commands.some(([name = ""]) => /(?:^|\/)git$/i.test(name));
}

function changesShell(argv: readonly string[]): boolean {
  const [name = ""] = argv;
  if (name === "cd" && argv.length === 2) return !isFolderBelow(argv[1] ?? "");
  if (CHANGING.has(name)) return true;
  return (name === "printf" || name === "test" || name === "[") && argv.some((word) => /^-[vR]/.test(word));
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
