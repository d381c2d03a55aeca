import { type AddHelpTextContext, type AddHelpTextPosition, Argument, Command, Help } from "commander";
import texts from "./command-texts.json" with { type: "json" };
import { helpWidth, itemOf, laidOut, NARROWEST } from "./help-layout.ts";
import { OLD_NAMES } from "./old-names.ts";
import type { Terminal } from "./terminal.ts";

/** Receives the exit code of a command. */
export type Done = (exit: number) => void;

type Exit = number | Promise<number>;

/** What a command does. Returns the exit code, or what was loaded to do it with the options and the terminal. */
export type Run = (command: Command) => Exit | Promise<(options: never, terminal: Terminal) => Exit>;

interface CommandTexts {
  readonly description?: string;
  /** Each with its description behind two blanks. */
  readonly arguments?: readonly string[];
  /** An option without a description has the one of all options with these flags. */
  readonly options?: readonly string[];
  /** Follows the options. */
  readonly help?: readonly string[];
}

const TEXTS: Readonly<Record<string, CommandTexts>> = texts.commands;
const SHARED: Readonly<Record<string, string>> = texts.options;

/** Adds commands to another one. A command without `run` has commands of its own. */
export function commandsOf(parent: Command, done: Done): (name: string, run?: Run) => Command {
  return (name, run) => {
    const command = subcommand(parent, name);
    if (run === undefined) return command;
    return command.action(async () => {
      const exit = await run(command);
      const isDone = typeof exit === "number";
      done(isDone ? exit : await exit(optionsOf<never>(command), await terminalOf(command)));
    });
  };
}

/** Adds a command to another one, with its texts, arguments and options, and the common ones. */
export function subcommand(parent: Command, name: string): Command {
  const command = withCommon(parent.command(name)).exitOverride();
  const { description = "", help, ...own } = TEXTS[namesOf(command).join(" ")] ?? {};
  for (const [term, what] of own.arguments?.map(itemOf) ?? []) command.argument(term, what);
  for (const [flags, what] of own.options?.map(itemOf) ?? []) command.option(flags, what || SHARED[flags]);
  if (help !== undefined) command.addHelpText("after", `\n${help.join("\n")}`);
  return command.description(description);
}

/** The names of a command and its parents, as they are now. */
export function namesOf(command: Command): readonly string[] {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  const [first = ""] = names;
  return Object.hasOwn(OLD_NAMES, first) ? (OLD_NAMES[first] ?? "").split(" ") : names;
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

/** An argument that is one of a few words. Without it, the command says which there are. */
export function choice(name: string, words: readonly string[], what = ""): Argument {
  const argument = new Argument(`[${name}]`, `${what}${words.join(", ")}`);
  argument.argChoices = [...words];
  return argument;
}

/** The options and arguments of a command, and the options of its parents. A value that was typed overrides a default. */
export function optionsOf<Options extends object>(command: Command): Options {
  const all: Record<string, unknown> = {};
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value: unknown = command.processedArgs[index];
    if (value !== undefined) all[argument.name()] = value;
  }
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
