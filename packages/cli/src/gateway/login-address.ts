import { expandEntry, type ServerEntry } from "@toolkeep/mcp";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/**
 * The address that a login to a server is kept under. What was looked up for it may be secret.
 * @throws CommandFault for a server that has none.
 */
export function loginAddress(entry: ServerEntry, project: string): URL {
  const expanded = expandEntry(entry, { environment: process.env, workspaceFolder: project });
  if (expanded.error !== undefined)
    throw new CommandError(`The address of ${entry.name} is not known: ${expanded.error}.`);
  if (expanded.entry.kind === "http") return new URL(expanded.entry.url);
  throw new CommandError(`${entry.name} is a program on this machine, which takes no login from us.`, {
    exit: EXIT.usage,
    hint: "Give it what it needs in its `env`.",
  });
}
