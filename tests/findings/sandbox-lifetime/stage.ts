import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SandboxedCommand, SandboxProfile } from "@toolkeep/core/ports";
import type { Spawner } from "../../../packages/node/src/processes/spawner.ts";
import { bubblewrapSandbox } from "../../../packages/node/src/sandbox/bubblewrap/bubblewrap.ts";
import { JAIL_USER } from "../../jail/outer-jail.ts";

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

export const WORKSPACE = "/tmp/stage/workspace";

export const sandbox = bubblewrapSandbox({ protection: { quarantine: "/tmp/quarantine" } });

export function layOut(...files: readonly string[]): void {
  rmSync("/tmp/stage", { recursive: true, force: true });
  mkdirSync(WORKSPACE, { recursive: true });
  for (const name of files) copyFileSync(join(import.meta.dirname, name), join(WORKSPACE, name));
  giveAway(WORKSPACE);
}

export function giveAway(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, JAIL_USER, JAIL_USER);
}

export function profile(changes: Partial<SandboxProfile> = {}): SandboxProfile {
  return {
    ...{ read: [], write: [WORKSPACE], guarded: [], hidden: [], hosts: [], cwd: WORKSPACE },
    environment: { PATH: "/usr/bin:/bin", HOME: "/home/toolkeep", TMPDIR: "/tmp" },
    ...changes,
  };
}

let files = 0;
/** For what is over at once on a machine that does nothing else. */
const LONGEST_MS = 120_000;
const SOON_MS = 60_000;

export async function start(spawner: Spawner, command: SandboxedCommand) {
  const outputPath = `/tmp/output-${process.pid}-${++files}`;
  const process_ = await spawner.start({ command, streams: { outputPath, outputLimit: 1e6 } });
  return { ...process_, output: () => readFileSync(outputPath, "latin1") };
}

/** Runs a line, for as long as it may take, and gives what it wrote once it is over. */
export async function run(
  spawner: Spawner,
  line: string,
  changes: Partial<SandboxProfile> = {},
  change = (command: SandboxedCommand) => command,
) {
  const command = await sandbox.wrap(["/bin/bash", "-c", line], profile(changes));
  const started = await start(spawner, change(command));
  const timer = setTimeout(() => void started.kill(0), LONGEST_MS);
  const end = await started.ended;
  clearTimeout(timer);
  await command.done?.();
  return { output: started.output(), ...end };
}

let seconds = 5_000 + Math.floor(Math.random() * 1_000_000) / 1_000_000;

/** A time that no other process sleeps for. */
export function oddSeconds(): string {
  seconds += 1;
  return seconds.toFixed(6);
}

/** Processes that are not dead and have this among their arguments, or all that `bwrap` runs. */
export function alive(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)
    .filter((name) => {
      try {
        const isDead = /\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, "latin1"));
        return !isDead && readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0").includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Whether something comes to be so soon; for what is not waited for by what is tested. */
export async function soon(isSo: () => boolean): Promise<boolean> {
  for (const until = performance.now() + SOON_MS; performance.now() < until; await pause(10)) {
    if (isSo()) return true;
  }
  return isSo();
}

/** Two processes sleep for this long: the command itself, and one in a session of its own. */
export async function haveStarted(...seconds: readonly string[]): Promise<void> {
  const areAlive = () => seconds.every((one) => alive(one).length > 1);
  if (!(await soon(areAlive))) throw new Error(`did not start: ${seconds.join()}`);
}

export function report(scene: string, value: unknown): void {
  console.log(JSON.stringify([scene, value]));
}

/** What is built around process 1. */
const COVER = ["--size", "4096", "--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"];

/** Nothing but the end of process 1 by its number. */
export function withoutFilter(command: SandboxedCommand): SandboxedCommand {
  const { filter: _, ...namespace } = command.namespace ?? {};
  return { ...command, namespace, argv: without(command.argv, ["--seccomp", "4"], COVER) };
}

/** What there was before: nothing is known of process 1, and nothing holds it. */
export function asItWas({ namespace, ...command }: SandboxedCommand): SandboxedCommand {
  const copies = (namespace?.copied ?? []).map((path, index) => [
    ...["--perms", "0444", "--file", `${6 + index}`, path],
  ]);
  return {
    ...command,
    argv: without(command.argv, ["--seccomp", "4"], ["--info-fd", "3"], COVER, ...copies),
  };
}

function without(
  argv: SandboxedCommand["argv"],
  ...parts: readonly (readonly string[])[]
): SandboxedCommand["argv"] {
  const text = parts.reduce((all, part) => all.replace(`\0${part.join("\0")}\0`, "\0"), argv.join("\0"));
  return text.split("\0") as unknown as SandboxedCommand["argv"];
}
