import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { readCommand } from "@toolkeep/catalog";
import { onlyReads, unlessThrown } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";

const MAY_BECOME_OPTION =
  "an argument begins with a pattern and may become an option, depending on the files there are";

/** Names that no program takes for an option, an assignment, a version or another machine. */
const PLAIN_NAME = /^[\p{L}\p{N}_.][^:=@]*$/u;
const LEADING = /^[*?]/;

/**
 * The commands of a line, in which patterns at the beginning of an argument (`wc -l *`) stand for files of the folder:
 * they are written with `./`, which means the same as long as no name there is special. The whole line must only read,
 * so that none comes to be before a pattern finds it. Otherwise it is said why not.
 */
export function withLeadingPatterns<Command extends SimpleCommand>(
  commands: readonly Command[],
  folder: string | undefined,
): readonly Command[] | string {
  if (!commands.some(isLeading)) return commands;
  const written = commands.map((command) => (isLeading(command) ? fromHere(command) : command));
  const isSafe =
    folder !== undefined &&
    written.every(reads) &&
    commands.filter(isLeading).every((command) => hasPlainNames(resolve(folder, command.folder ?? "")));
  return isSafe ? written : MAY_BECOME_OPTION;
}

function isLeading({ argv, expands = [] }: SimpleCommand): boolean {
  return expands.some((index) => /^[*?[{]/.test(argv[index] ?? ""));
}

function fromHere<Command extends SimpleCommand>(command: Command): Command {
  const { argv, expands = [] } = command;
  const isPattern = (index: number) => expands.includes(index) && LEADING.test(argv[index] ?? "");
  return { ...command, argv: argv.map((word, index) => (isPattern(index) ? `./${word}` : word)) };
}

/** Whether a command is known to change nothing. A folder that is entered brings no names. */
function reads({ argv, expands = [], redirects }: SimpleCommand): boolean {
  if (!redirects.every(({ path, access }) => access === "read" || PLAIN_NAME.test(basename(path))))
    return false;
  return argv[0] === "cd" || (onlyReads(argv) && readCommand(argv, { expands })?.isWhole === true);
}

const MOST_NAMES = 10_000;

function hasPlainNames(folder: string): boolean {
  const names = unlessThrown(() => readdirSync(folder));
  return names !== undefined && names.length <= MOST_NAMES && names.every((name) => PLAIN_NAME.test(name));
}
