import { chownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox, SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { endNamespace } from "../../processes/process-tree.ts";
import { spawnCommand } from "../../processes/spawn-command.ts";

/** The user that commands run as in tests if this process runs as root. */
export const TEST_USER = 12_345;

export interface SandboxedOutcome {
  readonly exitCode: number | null;
  readonly output: string;
  /** What `done` threw. */
  readonly complaint: unknown;
}

/** A folder of its own, with a workspace in it that belongs to a user who is not root. */
export interface SandboxedWorkspace {
  readonly folder: string;
  readonly path: string;
  readonly quarantine: string;
  write(files: Readonly<Record<string, string>>): void;
  profile(changes?: Partial<SandboxProfile>): SandboxProfile;
}

export function sandboxedWorkspace(folder = temporaryFolder()): SandboxedWorkspace {
  const path = join(folder, "workspace");
  const quarantine = join(folder, "quarantine");
  mkdirSync(path);
  giveAway(folder);
  return {
    ...{ folder, path, quarantine },
    write(files) {
      for (const [name, text] of Object.entries(files)) putFile(join(path, name), text);
      giveAway(folder);
    },
    profile: (changes = {}) => ({
      ...{ read: [], write: [path], guarded: [], hidden: [], hosts: [], cwd: path },
      environment: { PATH: "/usr/bin:/bin", HOME: "/home/toolkeep" },
      ...changes,
    }),
  };
}

function giveAway(path: string): void {
  if (process.getuid?.() !== 0) return;
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chownSync(path, TEST_USER, TEST_USER);
  if (stats.isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name));
}

/** Runs a line in a sandbox, and calls what is to be called when it is over. */
export async function runLine(
  sandbox: Sandbox,
  line: string,
  profile: SandboxProfile,
): Promise<SandboxedOutcome> {
  return run(await sandbox.wrap(["/bin/bash", "-c", line], profile));
}

export async function run(command: SandboxedCommand): Promise<SandboxedOutcome> {
  const { child, init } = spawnCommand(command, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const first = await init;
  if (first !== undefined) await endNamespace(first);
  const complaint: unknown = await command.done?.().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { exitCode, output, complaint };
}
