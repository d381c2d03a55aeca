import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { Sandbox, SandboxedCommand } from "@toolkeep/core/ports";
import type { ServerSettings, StdioServer } from "../servers/server-entry.ts";
import { type EnvironmentValues, scrubbedEnvironment } from "./scrubbed-environment.ts";
import type { StartOptions } from "./server-process.ts";
import { type StartFolder, sandboxedStartFolder, startFolder } from "./start-folder.ts";

export interface ProgramParts {
  readonly entry: StdioServer;
  readonly profile: ServerSettings["sandbox"];
  readonly sandbox: Sandbox | undefined;
  readonly environment: EnvironmentValues;
  /** Where the folder is made that it starts in, unless its entry names one. */
  readonly folder: string | undefined;
}

/**
 * How the program of a server is started: with a scrubbed environment, within its walls if it has some, and never in a
 * folder with somebody else's code unless its entry says so or a project brought it.
 * @throws ToolFailure `denied` where the walls it should have cannot be built; it never runs with fewer.
 */
export async function programOf(parts: ProgramParts): Promise<StartOptions> {
  const { entry, profile, environment } = parts;
  const argv: SandboxedCommand["argv"] = [entry.command, ...entry.args];
  const values = scrubbedEnvironment(environment, entry.env);
  if (profile !== undefined) return sandboxedProgram(parts, { argv, environment: values });
  if (entry.cwd !== undefined || entry.isOfProject)
    return { command: { argv, environment: values, cwd: entry.cwd ?? process.cwd() }, isSandboxed: false };
  const { path, remove } = await startFolder(parts.folder);
  return {
    command: { argv, environment: values, cwd: path, done: remove },
    isSandboxed: false,
    folder: path,
  };
}

type Unwalled = Pick<SandboxedCommand, "argv" | "environment">;

async function sandboxedProgram(
  { entry, profile = {}, sandbox }: ProgramParts,
  { argv, environment }: Unwalled,
): Promise<StartOptions> {
  const holding = holdingSandbox(profile, sandbox);
  const [open, write] = await Promise.all([directories(profile.read), directories(profile.write)]);
  // The places that are open to it may well be a project.
  const fresh = entry.cwd === undefined && !entry.isOfProject ? await sandboxedStartFolder() : undefined;
  const read = fresh === undefined ? open : [...open, fresh.path];
  try {
    const cwd =
      fresh?.path ?? (entry.cwd === undefined ? (write[0] ?? read[0] ?? "/") : await canonical(entry.cwd));
    const command = await holding.wrap(argv, {
      ...{ read, write, guarded: [], hidden: [], hosts: profile.hosts ?? [], environment, cwd },
    });
    if (fresh === undefined) return { command, isSandboxed: true };
    return { command: thenRemoved(command, fresh), isSandboxed: true, folder: fresh.path };
  } catch (error) {
    await fresh?.remove();
    throw ToolFailure.isInstance(error) && error.code === "denied"
      ? error
      : refused(error instanceof Error ? error.message : String(error), error);
  }
}

function thenRemoved(command: SandboxedCommand, fresh: StartFolder): SandboxedCommand {
  return { ...command, done: () => (command.done?.() ?? Promise.resolve()).finally(() => fresh.remove()) };
}

function holdingSandbox(
  profile: NonNullable<ServerSettings["sandbox"]>,
  sandbox: Sandbox | undefined,
): Sandbox {
  if (sandbox === undefined) throw refused("No sandbox was opened.");
  const isEnough =
    sandbox.isolation === "files-and-network" || (sandbox.isolation === "files" && profile.hosts === "any");
  if (isEnough) return sandbox;
  throw refused(`The sandbox ${sandbox.name} was proven to hold: ${sandbox.isolation}.`);
}

async function directories(paths: readonly string[] = []): Promise<readonly string[]> {
  return Promise.all(paths.map(canonical));
}

/** Walls follow no links, so the places they name must have none. */
async function canonical(path: string): Promise<string> {
  const absolute = resolve(path.replace(/^~(?=\/|$)/, homedir()));
  return realpath(absolute).catch((error: unknown) => {
    throw refused(`There is no ${absolute} to open to it.`, error);
  });
}

function refused(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure("denied", `The server should stand within walls, which cannot be built. ${reason}`, {
    hint: "`toolkeep doctor` says what is missing. To start it without walls, take `sandbox` out of its settings.",
    cause,
  });
}
