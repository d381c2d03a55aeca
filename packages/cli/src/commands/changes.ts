import { relative, resolve } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { containFolder, type ProjectPast, pastVersions, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { type ChangeDiff, changeDiffs, diffLines } from "../contain/change-diffs.ts";
import {
  changeLines,
  changeRecord,
  counted,
  type PastCommand,
  undone,
  wholeLines,
} from "../contain/past-lines.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep changes`, `keep` and `undo`. */
export function add(program: Command, done: Done): void {
  const below = commandsOf(program, done);
  below("changes", (command) => showChanges(optionsOf(command)));
  below("keep", (command) => keepHeld(optionsOf(command)));
  below("undo", (command) => undoCommands(optionsOf(command)));
}

interface PastOptions extends CommonOptions {
  readonly project?: string;
  readonly number?: string;
}

interface ChangesOptions extends PastOptions {
  readonly diff?: boolean;
  readonly last?: string;
}

interface DecidedOptions extends PastOptions {
  readonly path?: string;
  readonly yes?: boolean;
}

async function opened(options: PastOptions) {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  return { terminal, project, past: await projectPast(containFolder(), project) };
}

const SHOWN = "20";

async function showChanges(options: ChangesOptions): Promise<number> {
  if (options.number !== undefined) return showOne(options, options.number);
  const { terminal, past, project } = await opened(options);
  if (options.diff === true)
    throw usageError(
      "--diff is for one command.",
      "Run `toolkeep changes` to see the numbers, and `toolkeep changes NUMBER --diff`.",
    );
  const shown = past.commands.slice(-numberOf(options.last ?? SHOWN));
  const rest = past.commands.length - shown.length;
  terminal.show(shown.map(changeRecord), changeLines(shown));
  if (past.commands.length === 0) terminal.note(`No contained command has changed anything in ${project}.`);
  else terminal.note("Details of a command: `toolkeep changes NUMBER`, with `--diff` for its differences.");
  if (past.forgotten.length > 0)
    terminal.note(`${counted(past.forgotten.length, "command")} forgotten: ${TOO_LARGE}.`);
  if (rest > 0) terminal.note(`${rest} earlier ones are not shown: \`--last ${past.commands.length}\`.`);
  return EXIT.ok;
}

async function showOne(options: ChangesOptions, text: string): Promise<number> {
  const { terminal, past, project } = await opened(options);
  const command = one(past, text);
  const versions = options.diff === true ? pastVersions(command, { project, commands: past.commands }) : [];
  const diffs: readonly ChangeDiff[] = await changeDiffs(versions);
  terminal.show({ ...changeRecord(command), ...(options.diff === true ? { diffs } : {}) }, [
    ...wholeLines(command),
    ...diffLines(diffs),
  ]);
  return EXIT.ok;
}

async function keepHeld(options: DecidedOptions): Promise<number> {
  const { terminal, past, project } = await opened(options);
  const command = one(past, options.number ?? "");
  const { number } = command;
  const path = heldPath(command, options.path, { cwd: terminal.cwd, project });
  const wanted = command.held.filter((held) => path === undefined || isBelow(held.path, path));
  if (wanted.length === 0) throw new CommandError(`Nothing is held of command ${number}.`, SEE(number));
  for (const held of wanted) terminal.note(`held  ${visible(held.path)}: ${visible(held.why)}`);
  if (options.yes !== true) await showReplaced(wanted, { command, past, project }, terminal);
  const question = `Apply ${counted(wanted.length, "held change")} to ${project}?`;
  await confirmed({ question, yes: options.yes, refused: "Nothing was changed." }, terminal);
  const late = await past.keep(number, path);
  const waits = new Set(late.map((held) => held.path));
  const kept = wanted.map((held) => held.path).filter((held) => !waits.has(held));
  terminal.show({ number, kept, held: late }, [
    ...(kept.length === 0 ? [] : [`Applied: ${visible(kept.join(", "))}. Undo: \`toolkeep undo\`.`]),
    ...late.map((held) => `Still held: ${visible(held.path)}: ${visible(held.why)}.`),
  ]);
  return late.length === 0 ? EXIT.ok : EXIT.denied;
}

/** The differences to files that are in the project now: other programs may have changed them since the command ran. */
async function showReplaced(
  wanted: PastCommand["held"],
  { command, past, project }: { command: PastCommand; past: ProjectPast; project: string },
  terminal: Terminal,
): Promise<void> {
  const versions = pastVersions(command, { project, commands: past.commands }).filter(
    ({ path, isHeld, before }) =>
      isHeld && before !== undefined && wanted.some((one) => isBelow(path, one.path)),
  );
  if (versions.length > 0) terminal.note(diffLines(await changeDiffs(versions)).join("\n"));
}

/** A path as `changes` shows it, or as a shell completes it; `undefined` for all of the project. */
function heldPath(
  { number, held }: PastCommand,
  path: string | undefined,
  { cwd, project }: { readonly cwd: string; readonly project: string },
): string | undefined {
  if (path === undefined) return undefined;
  const names = [cwd, project].map((from) => relative(project, resolve(from, path)));
  const found = names.find((name) => name === "" || held.some((one) => isBelow(one.path, name)));
  if (found === undefined)
    throw new CommandError(`Command ${number} holds nothing at ${visible(path)}.`, SEE(number));
  return found === "" ? undefined : found;
}

const SEE = (number: number) => ({ hint: `Run \`toolkeep changes ${number}\` to see what is held.` });

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

async function undoCommands(options: DecidedOptions): Promise<number> {
  const { terminal, past } = await opened(options);
  const open = past.commands.filter(({ isUndone, kept }) => !isUndone && kept.length > 0).toReversed();
  const first = options.number === undefined ? open[0] : one(past, options.number);
  const chosen = open.filter(({ number }) => first !== undefined && number >= first.number);
  if (first === undefined || chosen.at(-1) !== first)
    throw new CommandError(
      first === undefined
        ? "There is no command to undo."
        : `Command ${first.number} ${first.isUndone ? "is undone already" : "changed nothing in the project"}.`,
      { hint: "Run `toolkeep changes` to see what can be undone." },
    );
  for (const { text } of changeLines(chosen)) terminal.note(text);
  const question = `Undo ${chosen.length === 1 ? "this command" : `these ${chosen.length} commands`}?`;
  await confirmed({ question, yes: options.yes, refused: "Nothing was changed." }, terminal);
  const paths = await undone(past, chosen);
  const commands = chosen.map(({ number }) => number);
  terminal.show({ commands, paths }, [
    `Undone: ${commands.length === 1 ? "command" : "commands"} ${commands.join(", ")}, ${counted(paths.length, "change")}.`,
  ]);
  return EXIT.ok;
}

const TOO_LARGE = "what is kept for undo was too large";

function one(past: ProjectPast, text: string): PastCommand {
  const number = numberOf(text);
  const found = past.commands.find((command) => command.number === number);
  if (found !== undefined) return found;
  if (past.forgotten.includes(number))
    throw new CommandError(`Command ${number} was forgotten: ${TOO_LARGE}.`, {
      hint: "Run `toolkeep changes` to see what can be undone.",
    });
  throw new CommandError(`There is no command ${number} here.`, {
    hint: "Run `toolkeep changes` to see them.",
  });
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `Invalid command number ${JSON.stringify(text)}.`,
    "Run `toolkeep changes` to see the numbers of commands.",
  );
}
