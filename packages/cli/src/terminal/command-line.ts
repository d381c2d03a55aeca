import { Command, Help, Option } from "commander";
import type { Terminal } from "./terminal.ts";

/** Receives the exit code of a command. */
export type Done = (exit: number) => void;

export interface NewCommand {
  readonly parent: Command;
  readonly name: string;
  readonly description: string;
}

/** Adds a command to another one, with the common options. */
export function subcommand({ parent, name, description }: NewCommand): Command {
  return withCommon(parent.command(name)).description(description).exitOverride();
}

/** The common options may stand before or after the name of a command. */
function withCommon(command: Command): Command {
  return command
    .option("--json", "write data and errors as JSON")
    .option("-q, --quiet", "write only data and errors")
    .option("--cwd <dir>", "run as if started in this directory")
    .helpOption("-h, --help", "show help");
}

/** The program without any of its commands. */
export function newProgram(): Command {
  // `runProgram` reports usage errors like all other errors, also as JSON.
  return withCommon(new Command("toolkeep"))
    .exitOverride()
    .configureHelp({ subcommandTerm, visibleCommands })
    .configureOutput({ outputError: () => {} });
}

/** The commands of the program are listed by name, and those of a command with their arguments. */
function subcommandTerm(this: Help, command: Command): string {
  return command.parent?.parent === null ? command.name() : Help.prototype.subcommandTerm.call(this, command);
}

/** `help` is understood, and `--help` does the same. */
function visibleCommands(this: Help, command: Command): Command[] {
  return Help.prototype.visibleCommands.call(this, command).filter((one) => one.name() !== "help");
}

export function projectOption(
  description = "the project directory (default: the repository of the current directory)",
): Option {
  return new Option("--project <dir>", description);
}

export function yesOption(description = "do not ask for confirmation"): Option {
  return new Option("-y, --yes", description);
}

export function policyOption(): Option {
  return new Option(
    "--policy <file>",
    "use this policy file instead of yours and the project's; the administrator's still apply",
  );
}

export function storeOption(): Option {
  return new Option(
    "--store <folder>",
    "the store of an application, as given to openSqliteStore (default: Toolkeep's own)",
  );
}

/** The options of a command and its parents. A value that was typed overrides a default. */
export function optionsOf<Options extends object>(command: Command): Options {
  const all: Record<string, unknown> = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (!(name in all) || at.getOptionValueSource(name) !== "default") all[name] = value;
    }
  }
  return all as Options;
}

/** The terminal of this process, loaded when a command runs: its help needs none. */
export async function terminalOf(command: Command): Promise<Terminal> {
  const { openTerminal } = await import("./terminal.ts");
  return openTerminal(optionsOf(command));
}
