import type { Command, Option } from "commander";

/** What can be typed after a command. */
export interface CompletedCommand {
  /** The names of the command and its parents, without the program. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly string[];
  /** What the first argument can be. */
  readonly choices: readonly string[];
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  /** `-q` and `--quiet`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What its value is; absent if it takes none. */
  readonly value?: "folder" | "file" | "text";
}

/** The program and all of its commands, parents first. */
export function commandTree(command: Command, path: readonly string[] = []): readonly CompletedCommand[] {
  const commands = command.createHelp().visibleCommands(command);
  const own = {
    path: path.join(" "),
    description: command.description(),
    commands: commands.map((one) => one.name()),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), HELP],
  };
  return [own, ...commands.flatMap((one) => commandTree(one, [...path, one.name()]))];
}

const HELP: CompletedOption = { flags: ["-h", "--help"], description: "show help" };

const FOLDERS = ["<dir>", "<folder>"];

function completedOption({ flags, description, required, optional, short, long }: Option): CompletedOption {
  const names = [short, long].filter((name) => name !== undefined);
  if (!required && !optional) return { flags: names, description };
  if (FOLDERS.some((kind) => flags.includes(kind))) return { flags: names, description, value: "folder" };
  return { flags: names, description, value: flags.includes("<file>") ? "file" : "text" };
}
