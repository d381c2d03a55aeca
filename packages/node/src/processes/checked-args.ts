import { ToolFailure } from "@toolkeep/core";
import { effect, joinCommand, shellRun } from "@toolkeep/core/internal";
import { type Command, commandEffects, type Grant, type ParsedCommand } from "@toolkeep/core/ports";
import { findShell } from "./find-shell.ts";

/** What the kernel takes in one word. */
const LONGEST_WORD = 128 * 1_024 - 1;
const LONGEST_COMMAND = 1_024 * 1_024;

/**
 * The words that are run for a command. A line is parsed again, so that what runs is what was judged.
 * @throws ToolFailure `out_of_scope` for a command that this call was not allowed, or to leave the walls with.
 */
export async function checkedArgs(
  command: Command,
  grant: Grant,
  parse: (line: string) => Promise<ParsedCommand>,
): Promise<readonly [string, ...string[]]> {
  const said = "argv" in command ? joinCommand(command.argv) : command.line;
  refuseUnfit("argv" in command ? command.argv : [command.line]);
  if ("argv" in command) grant.check(shellRun(command.argv));
  else for (const access of await effectsOfLine(command.line, parse)) grant.check(access);
  if (command.outside === true) grant.check(effect("sandbox.leave", said));
  if ("argv" in command) return [...command.argv];
  return [findShell(), "--noprofile", "--norc", "-c", "--", command.line];
}

/** Files are left out: those the walls watch over, by what they really are. */
async function effectsOfLine(line: string, parse: (line: string) => Promise<ParsedCommand>) {
  const effects = commandEffects(await parse(line), line);
  return effects.filter(({ capability }) => !capability.startsWith("fs."));
}

function refuseUnfit(words: readonly string[]): void {
  const [program = ""] = words;
  if (program.trim() === "") throw new ToolFailure("not_found", "There is no command to run.");
  if (words.some((word) => typeof word !== "string" || word.includes("\0") || !word.isWellFormed()))
    throw new ToolFailure("out_of_scope", "A word of the command is not text.");
  const lengths = words.map((word) => Buffer.byteLength(word) + 1);
  const isTooLong = lengths.some((length) => length > LONGEST_WORD);
  if (isTooLong || lengths.reduce((sum, length) => sum + length, 0) > LONGEST_COMMAND)
    throw new ToolFailure("too_large", "The command is too long.", {
      hint: "Write what is long to a file, or hand it over as input.",
    });
}
