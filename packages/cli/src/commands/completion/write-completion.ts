import type { Command } from "commander";
import { EXIT, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { bashScript, zshScript } from "./bash-script.ts";
import { type CompletedCommand, commandTree } from "./command-tree.ts";
import { fishScript } from "./fish-script.ts";

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export interface CompletionOptions {
  readonly shell: string | undefined;
  /** With all of its commands. */
  readonly program: Command;
}

/** Writes the script of a shell. */
export function writeCompletion({ shell, program }: CompletionOptions, terminal: Terminal): number {
  const script = shell !== undefined && Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw usageError(
      `There is no completion for the shell ${JSON.stringify(shell ?? "")}.`,
      `Use ${Object.keys(SCRIPTS).join(", ")}.`,
    );
  const text = script(commandTree(program));
  terminal.show({ shell, script: text }, [text]);
  return EXIT.ok;
}
