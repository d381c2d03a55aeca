import { expandEntry, type ServerEntry } from "@toolkeep/mcp";
import { CommandFault, EXIT } from "../terminal/command-fault.ts";

/**
 * The address that a login to a server is kept under. What was looked up for it may be secret.
 * @throws CommandFault for a server that has none.
 */
export function loginAddress(entry: ServerEntry, project: string): URL {
  const expanded = expandEntry(entry, { environment: process.env, workspaceFolder: project });
  if (expanded.fault !== undefined)
    throw new CommandFault(`The address of ${entry.name} is not known: ${expanded.fault}.`);
  if (expanded.entry.kind === "http") return new URL(expanded.entry.url);
  throw new CommandFault(`${entry.name} is a program on this machine, which takes no login from us.`, {
    exit: EXIT.usage,
    hint: "Give it what it needs in its `env`.",
  });
}
