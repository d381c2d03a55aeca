import type { ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import {
  endNamespace,
  endTree,
  markerFor,
  type SpawnedCommand,
  spawnCommand,
  startOf,
  type TreeRoot,
} from "@toolkeep/node/internal";
import { type OrphanGuard, orphanGuard } from "./orphan-guard.ts";

/** The program of a server, in its own process group. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when all its processes have ended: how the first one ended, as text. */
  readonly ended: Promise<string>;
  /** The end of its error output. */
  errorTail(): string;
  /** Ends the whole tree: closes its input, then SIGTERM, then SIGKILL. Resolves when it is gone. Safe to call twice. */
  end(): Promise<void>;
}

export interface StartOptions {
  readonly command: SandboxedCommand;
  /** Whether it runs in a sandbox, which ends with it. */
  readonly isSandboxed: boolean;
  /** Its start folder, which is removed with it, also when this process is killed. */
  readonly folder?: string;
}

/** Set in the environment of a server's program, so that processes that leave its group are found. */
const MARKER_NAME = "TOOLKEEP_SERVER";
const TAIL_BYTES = 8 * 2 ** 10;
const INPUT_GRACE_MS = 1_000;
const TERM_GRACE_MS = 1_000;

/** Output can arrive after a program has ended. */
const DRAIN_MS = 200;
const REPORT_MS = 2_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** The end of a stream of any length. */
interface ByteTail {
  add(chunk: Buffer): void;
  text(): string;
}

/** Starts a server's program. Throws the system's error if it cannot. */
export async function startServerProcess(options: StartOptions): Promise<ServerProcess> {
  const { command, isSandboxed } = options;
  const { environment: marked, marker } = markerFor(randomUUID(), MARKER_NAME);
  const environment = isSandboxed ? command.environment : { ...command.environment, ...marked };
  let started: SpawnedCommand;
  try {
    started = spawnCommand({ ...command, environment }, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  } catch (error) {
    await command.done?.();
    throw error;
  }
  const child = started.child as Child;
  // Writing to a program that has ended fails; the end itself is reported elsewhere.
  child.stdin.on("error", () => {});
  if (child.pid === undefined) {
    const [error] = await once(child, "error");
    await command.done?.();
    throw error;
  }
  child.on("error", () => {});
  const root = { pid: child.pid, startedAt: startOf(child.pid), marker };
  return followed({ child, init: started.init }, root, options);
}

function followed(
  { child, init }: Pick<SpawnedCommand, "init"> & { readonly child: Child },
  root: TreeRoot,
  { command, folder }: StartOptions,
): ServerProcess {
  const tail = byteTail(TAIL_BYTES);
  child.stderr.on("data", (chunk: Buffer) => tail.add(chunk));
  const guard = orphanGuard(root, folder);
  const ended = endOf(child, { root, guard, command, init });
  let ending: Promise<void> | undefined;
  return {
    pid: root.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    errorTail: tail.text,
    end: () => {
      ending ??= finish(child, root, ended);
      return ending;
    },
  };
}

interface ProcessResources {
  readonly root: TreeRoot;
  readonly guard: OrphanGuard;
  readonly command: SandboxedCommand;
  readonly init: SpawnedCommand["init"];
}

async function endOf(child: Child, { root, guard, command, init }: ProcessResources): Promise<string> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  // A process it started may keep the pipes open, so their end is not awaited.
  await within(closed(child.stdout), DRAIN_MS);
  // If nothing was reported by now, nothing of the program ran.
  const first = await Promise.race([init, pause(REPORT_MS, undefined, { ref: false })]);
  if (first !== undefined) await endNamespace(first);
  await endTree(root, { graceMs: TERM_GRACE_MS });
  guard.dismiss();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  await command.done?.().catch(() => {});
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

async function finish(child: Child, root: TreeRoot, ended: Promise<string>): Promise<void> {
  child.stdin.end();
  if (!(await within(ended, INPUT_GRACE_MS))) await endTree(root, { graceMs: TERM_GRACE_MS });
  await ended;
}

/** Resolves also for a stream that was closed before, e.g. by a program that closes its output and ends later. */
function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", resolve);
  });
}

/** Whether something settles in time. The timer keeps this process alive for a caller that has nothing else to do. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const stop = new AbortController();
  const tooLate = pause(ms, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    stop.abort();
  }
}

/** Keeps the last bytes, up to a limit. */
function byteTail(mostBytes: number): ByteTail {
  let tail: Buffer = Buffer.alloc(0);
  return {
    add(chunk) {
      // Copied, so that the large buffer behind a small chunk is released.
      tail = Buffer.concat([tail, chunk.subarray(-mostBytes)]).subarray(-mostBytes);
    },
    text: () => tail.toString("utf8"),
  };
}
