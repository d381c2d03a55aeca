import { containFolder, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { changeLines, undone } from "../contain/past-lines.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal } from "../terminal/terminal.ts";

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
  readonly path?: string;
  readonly yes?: boolean;
}

async function opened(options: PastOptions) {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  return { terminal, project, past: await projectPast(containFolder(), project) };
}

async function showChanges(options: PastOptions): Promise<number> {
  const { terminal, past } = await opened(options);
  const number = options.number === undefined ? undefined : numberOf(options.number);
  const commands = past.commands.filter((one) => number === undefined || one.number === number);
  if (number !== undefined && commands.length === 0) throw none(number);
  terminal.show(commands, changeLines(commands, number !== undefined));
  return EXIT.ok;
}

async function keepHeld(options: PastOptions): Promise<number> {
  const { terminal, past } = await opened(options);
  const number = numberOf(options.number ?? "");
  const command = past.commands.find((one) => one.number === number);
  if (command === undefined) throw none(number);
  for (const line of changeLines([command], true)) terminal.note(line);
  const what = options.path ?? "everything that is held of it";
  await confirmed(
    { question: `Bring ${what} to the project?`, yes: options.yes, refused: "Nothing was changed." },
    terminal,
  );
  const late = await past.keep(number, options.path);
  terminal.show({ number, held: late }, [
    late.length === 0
      ? "Done. `toolkeep undo` takes it back."
      : `Still held: ${late.map(({ path, why }) => `${path} (${why})`).join(", ")}`,
  ]);
  return late.length === 0 ? EXIT.ok : EXIT.denied;
}

async function undoCommands(options: PastOptions): Promise<number> {
  const { terminal, past } = await opened(options);
  const open = past.commands.filter(({ isUndone, kept }) => !isUndone && kept.length > 0).toReversed();
  const count = options.number === undefined ? 1 : numberOf(options.number);
  const chosen = open.slice(0, count);
  if (chosen.length === 0)
    throw new CommandError("There is no command to undo.", {
      hint: "Run `toolkeep changes` to see what can be undone.",
    });
  for (const line of changeLines(chosen, false)) terminal.note(line);
  const question = `Give the project back what it had before ${chosen.length === 1 ? "this command" : `these ${chosen.length} commands`}?`;
  await confirmed({ question, yes: options.yes, refused: "Nothing was changed." }, terminal);
  const paths = await undone(past, chosen);
  terminal.show({ commands: chosen.map(({ number }) => number), paths }, [
    `Undone: ${paths.length} changes.`,
  ]);
  return EXIT.ok;
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(`${JSON.stringify(text)} is no number of a command.`, {
    exit: EXIT.usage,
    hint: "Run `toolkeep changes` to see them.",
  });
}

function none(number: number): CommandError {
  return new CommandError(`There is no command ${number}.`, {
    hint: "Run `toolkeep changes` to see them.",
  });
}
