import type { Command, Commands, Grant } from "@toolkeep/core/ports";
import { type AttachedCommand, attachCommand } from "./attach-command.ts";
import type { CommandParts } from "./command-parts.ts";
import { runCommand } from "./run-command.ts";
import { startCommand } from "./start-command.ts";

/** Commands that can also be given the streams of this process: for a program whose only work is one command. */
export interface AttachableCommands extends Commands {
  attach(command: Command): Promise<AttachedCommand>;
}

/**
 * The commands of one call: each is checked against the grant as it really is, sandboxed, run in a group of its own and
 * ended as a tree when the call is stopped. There is no time limit but the call's own.
 */
export function guardedCommands(grant: Grant, parts: CommandParts): AttachableCommands {
  return {
    run: (command) => runCommand(command, grant, parts),
    start: (command) => startCommand(command, grant, parts),
    attach: (command) => attachCommand(command, grant, parts),
  };
}
