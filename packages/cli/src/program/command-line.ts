import { Command, Option } from "commander";

/** Told how a command ended. */
export type Done = (exit: number) => void;

export interface NewCommand {
  readonly parent: Command;
  readonly name: string;
  readonly description: string;
}

/** A command beneath another one, with what every command takes. */
export function subcommand({ parent, name, description }: NewCommand): Command {
  return withCommon(parent.command(name)).description(description).exitOverride();
}

/** What every command takes, before or after its name. */
function withCommon(command: Command): Command {
  return command
    .option("--json", "data as JSON")
    .option("-q, --quiet", "nothing but data and errors")
    .option("--no-color", "no colours")
    .option("--cwd <dir>", "as if started in this folder")
    .helpOption("-h, --help");
}

/** The program without any of its commands. */
export function newProgram(): Command {
  // Wrong usage is told where all other errors are, as JSON too.
  return withCommon(new Command("toolkeep"))
    .exitOverride()
    .configureOutput({ outputError: () => {} });
}

/** Where a command that is about a project may be told which. */
export function projectOption(description = "the project"): Option {
  return new Option("--project <dir>", description);
}

/** Options of the command and of those above it; one that says no more than its default gives way. */
export function optionsOf<Options extends object>(command: Command): Options {
  const all: Record<string, unknown> = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (!(name in all) || at.getOptionValueSource(name) !== "default") all[name] = value;
    }
  }
  return all as Options;
}
