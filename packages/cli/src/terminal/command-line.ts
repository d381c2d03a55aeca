import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Argument,
  Command,
  Help,
  Option,
} from "commander";
import { helpWidth, laidOut, NARROWEST } from "./help-layout.ts";
import { OLD_NAMES } from "./old-names.ts";
import type { Terminal } from "./terminal.ts";

/** Receives the exit code of a command. */
export type Done = (exit: number) => void;

export interface NewCommand {
  readonly parent: Command;
  readonly name: string;
  /** Default: the one in the overview of all commands. */
  readonly description?: string;
}

/** Adds a command to another one, with the common options. */
export function subcommand({ parent, name, description = "" }: NewCommand): Command {
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

/** All help is as wide as the terminal. */
class ProgramCommand extends Command {
  get helpWidth(): number {
    return this.configureOutput().getOutHelpWidth?.() ?? helpWidth();
  }

  override createCommand(name?: string): Command {
    return new ProgramCommand(name);
  }

  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    return super.addHelpText(position, (context) =>
      laidOut(typeof text === "string" ? text : text(context), this.helpWidth),
    );
  }
}

/** The program without any of its commands. */
export function newProgram(): Command {
  // `runProgram` reports usage errors like all other errors, also as JSON.
  return withCommon(new ProgramCommand("toolkeep"))
    .exitOverride()
    .configureHelp({ visibleCommands, minWidthToWrap: NARROWEST })
    .configureOutput({ outputError: () => {}, getOutHelpWidth: helpWidth, getErrHelpWidth: helpWidth });
}

/** `help` is understood, and `--help` does the same. */
function visibleCommands(this: Help, command: Command): Command[] {
  const isOld = (name: string) => command.parent === null && Object.hasOwn(OLD_NAMES, name);
  const all = Help.prototype.visibleCommands.call(this, command);
  return all.filter((one) => one.name() !== "help" && !isOld(one.name()));
}

export function projectOption(
  description = "the project directory (default: the repository of the current directory)",
): Option {
  return new Option("--project <dir>", description);
}

export function yesOption(description = "do not ask for confirmation"): Option {
  return new Option("-y, --yes", description);
}

export function dryRunOption(): Option {
  return new Option("--dry-run", "show the changes without writing them");
}

/** An argument that is one of a few words. Without it, the command says which there are. */
export function choice(name: string, words: readonly string[], what = ""): Argument {
  const argument = new Argument(`[${name}]`, `${what}${words.join(", ")}`);
  argument.argChoices = [...words];
  return argument;
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
