import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import { endNamespace } from "../../../packages/node/src/processes/process-tree.ts";
import { spawnCommand } from "../../../packages/node/src/processes/spawn-command.ts";
import { bubblewrapSandbox } from "../../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { JAIL_USER } from "../../jail/outer-jail.ts";

/* A workspace, a home outside of it and a user. Only ever used within the jail. */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

export const isRoot = process.getuid?.() === 0;
export const STAGE = "/tmp/stage";
export const WORKSPACE = `${STAGE}/workspace`;
/** What the user has outside: no command may read or change it. */
export const OUTSIDE = `${STAGE}/home`;
export const MARK = `${STAGE}/home/MARK`;
export const QUARANTINE = "/tmp/quarantine";

const PEOPLE = ["AUTHOR", "COMMITTER"].flatMap((role) => [
  [`GIT_${role}_NAME`, "a"],
  [`GIT_${role}_EMAIL`, "a@a.test"],
]);

const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...{ PATH: "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8", MARK, OUTSIDE, GIT_EDITOR: "true" },
  ...Object.fromEntries(PEOPLE),
};

export const SANDBOX = bubblewrapSandbox({ protection: { quarantine: QUARANTINE } });

/** Everything as in the beginning. */
export function reset(): void {
  rmSync(STAGE, { recursive: true, force: true });
  for (const path of [STAGE, WORKSPACE, OUTSIDE]) {
    mkdirSync(path);
    if (isRoot) chownSync(path, JAIL_USER, JAIL_USER);
  }
}

export function at(name: string): string {
  return join(WORKSPACE, name);
}

/** What the user does, outside of all sandboxes; the jail holds it. */
export function asUser(line: string): string {
  const { stdout, stderr } = spawnSync("/bin/bash", ["-c", line], {
    ...{ cwd: WORKSPACE, env: ENVIRONMENT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    ...(isRoot ? { uid: JAIL_USER, gid: JAIL_USER } : {}),
  });
  return stdout + stderr;
}

/** A program of an attacker that runs as the user at the same time, until it is killed. */
export function attacker(script: string): ChildProcess {
  return spawn("/usr/bin/python3", ["-c", script], {
    ...{ cwd: WORKSPACE, env: ENVIRONMENT, stdio: "ignore" },
    ...(isRoot ? { uid: JAIL_USER, gid: JAIL_USER } : {}),
  });
}

export function profileOf(changes: Partial<SandboxProfile> = {}): SandboxProfile {
  return {
    ...{ read: [], write: [WORKSPACE], guarded: [], hidden: [], hosts: [] },
    ...{ environment: ENVIRONMENT, cwd: WORKSPACE },
    ...changes,
  };
}

export interface SandboxedRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly complaint: string | undefined;
}

export async function sandboxed(line: string, changes: Partial<SandboxProfile> = {}): Promise<SandboxedRun> {
  for (let tries = 0; ; tries += 1) {
    const run = await runCommand(await SANDBOX.wrap(["/bin/bash", "-c", line], profileOf(changes)));
    // The kernel counts the processes of a user in all jails: other tests may use them up for a moment.
    if (tries === 10 || !run.output.startsWith("bwrap: Can't fork")) return run;
    await wait(300);
  }
}

export async function runCommand(command: SandboxedCommand): Promise<SandboxedRun> {
  const { child, init } = spawnCommand(command, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString("latin1");
    });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const first = await init;
  if (first !== undefined) await endNamespace(first);
  const complaint = await command.done?.().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { exitCode, output, complaint };
}

const SOON_MS = 60_000;

/** Waits for something to be made. */
export async function there(path: string): Promise<void> {
  for (const until = performance.now() + SOON_MS; !existsSync(path); await wait(5))
    if (performance.now() > until) throw new Error(`${path} was not made`);
}

/** Names in a folder, or none where there is no such folder. */
export function namesIn(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path).toSorted() : [];
}

/** One line for each scene: what does not hold, in words. */
export async function scene(title: string, play: () => Promise<readonly string[]> | readonly string[]) {
  reset();
  const errors = await Promise.resolve()
    .then(play)
    .catch((error: unknown) => [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  console.log(JSON.stringify({ title, errors }));
}

/** Returns an error if a condition does not hold. */
export function unless(isSo: boolean, error: string): readonly string[] {
  return isSo ? [] : [error];
}
