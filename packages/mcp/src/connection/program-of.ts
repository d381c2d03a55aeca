import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Sandbox, ToolFailure, type WalledCommand } from "@toolkeep/core";
import type { ServerSettings, StdioServer } from "../servers/server-entry.ts";
import { type EnvironmentValues, scrubbedEnvironment } from "./scrubbed-environment.ts";
import type { StartOptions } from "./server-process.ts";

export interface ProgramParts {
  readonly entry: StdioServer;
  readonly walls: ServerSettings["walls"];
  readonly sandbox: Sandbox | undefined;
  readonly environment: EnvironmentValues;
}

/**
 * How the program of a server is started: with a scrubbed environment, and within its walls if it has some.
 * @throws ToolFailure `denied` where the walls it should have cannot be built; it never runs with fewer.
 */
export async function programOf({ entry, walls, sandbox, environment }: ProgramParts): Promise<StartOptions> {
  const argv: WalledCommand["argv"] = [entry.command, ...entry.args];
  const values = scrubbedEnvironment(environment, entry.env);
  if (walls === undefined)
    return { command: { argv, environment: values, cwd: entry.cwd ?? process.cwd() }, isWalled: false };
  const holding = holdingSandbox(walls, sandbox);
  const [read, write] = await Promise.all([places(walls.read), places(walls.write)]);
  const cwd = entry.cwd === undefined ? (write[0] ?? read[0] ?? "/") : await canonical(entry.cwd);
  try {
    const command = await holding.wall(argv, {
      ...{ read, write, guarded: [], hidden: [], hosts: walls.hosts ?? [], environment: values, cwd },
    });
    return { command, isWalled: true };
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error), error);
  }
}

function holdingSandbox(walls: NonNullable<ServerSettings["walls"]>, sandbox: Sandbox | undefined): Sandbox {
  if (sandbox === undefined) throw refused("No sandbox was opened.");
  const isEnough =
    sandbox.grade === "files-and-network" || (sandbox.grade === "files" && walls.hosts === "any");
  if (isEnough) return sandbox;
  throw refused(`The sandbox ${sandbox.name} was proven to hold: ${sandbox.grade}.`);
}

async function places(paths: readonly string[] = []): Promise<readonly string[]> {
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
    hint: "`toolkeep doctor` says what is missing. To start it without walls, take `walls` out of its settings.",
    cause,
  });
}
