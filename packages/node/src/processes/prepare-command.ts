import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { Command, Grant, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { isWithin } from "../files/path-within.ts";
import { checkedArgs } from "./checked-args.ts";
import { checkedEnvironment } from "./checked-environment.ts";
import type { CommandParts } from "./command-parts.ts";

/**
 * Holds a command against the grant and puts the walls around it.
 * @throws ToolFailure for what was not allowed, and for walls that cannot be built.
 */
export async function prepareCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<PreparedCommand> {
  refuseStopped(grant.abortSignal);
  const argv = await checkedArgs(command, grant, parts.parse);
  const added = checkedEnvironment(command.env ?? {}, grant);
  const { note, ...profile } = await parts.sandboxProfileFor(command);
  const cwd = await checkedFolder(command.cwd, profile);
  const environment = { ...profile.environment, ...added };
  if (command.outside === true) return { argv, environment, cwd };
  const sandboxed = await parts.sandbox.wrap(argv, { ...profile, environment, cwd });
  // Where nothing is proven to be masked, nothing is said to be.
  return note === undefined || parts.sandbox.isolation === "none" ? sandboxed : { ...sandboxed, note };
}

export interface PreparedCommand extends SandboxedCommand {
  /** What is masked from it because of policy. */
  readonly note?: string;
}

/** @throws ToolFailure if the call was stopped. */
export function refuseStopped({ aborted, reason }: AbortSignal): void {
  if (!aborted) return;
  if (reason === "timed_out") throw new ToolFailure("timed_out", "The command was ended: its time is up.");
  throw new ToolFailure("cancelled", "The command was ended: the call was cancelled.");
}

/**
 * To be somewhere reads nothing, so it needs no effect of its own. But it decides what relative names mean,
 * so it must be within what the command may see, outside of the walls no less than inside.
 */
async function checkedFolder(given: string | undefined, profile: SandboxProfile): Promise<string> {
  const wanted = given ?? profile.cwd;
  if (!isAbsolute(wanted) || wanted.includes("\0"))
    throw new ToolFailure("out_of_scope", "The folder of a command must be an absolute path.");
  const folder = await realpath(wanted).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory())
    throw new ToolFailure("not_found", `There is no folder ${wanted} to run the command in.`);
  if (given === undefined) return folder;
  const isSeen = [...profile.read, ...profile.write].some((place) => isWithin(folder, place));
  if (isSeen && !profile.hidden.some((place) => isWithin(folder, place))) return folder;
  throw new ToolFailure("out_of_scope", `The command may not run in ${wanted}, which it may not read.`);
}
