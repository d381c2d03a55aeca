import { type Reading, readCommand } from "@toolkeep/catalog";
import { GIT_COMMANDS, isLook, wordsIn } from "@toolkeep/catalog/internal";
import { programOf } from "./command-args.ts";

/** They write to the repository, and leave the files that are named as they were. */
const RECORDING_GIT = wordsIn(GIT_COMMANDS.recording);

/** Whether a command is known to leave the files it names as they were. */
export function leavesFilesAlone(argv: readonly string[]): boolean {
  return onlyReads(argv) || (programOf(argv) === "git" && RECORDING_GIT.has(argv[1] ?? ""));
}

/** Whether a command is known, by all of its words, to change nothing at all, and to look at this machine alone. */
export function onlyReads(argv: readonly string[]): boolean {
  const known = readCommand([programOf(argv), ...argv.slice(1)]);
  return known?.isWhole === true && known.does.every(isLook) && isWithoutChange(known);
}

function isWithoutChange({ writes, deletes, moves }: Reading): boolean {
  return writes.length + deletes.length + moves.length === 0;
}
