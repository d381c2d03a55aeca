import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { WalledCommand } from "@toolkeep/core";
import { byteTail } from "./byte-tail.ts";
import { type OrphanGuard, orphanGuard } from "./orphan-guard.ts";
import { endTree, MARKER_NAME, type TreeRoot } from "./process-tree.ts";

/** The program of a server, in a process group of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** When its first process is over and no other one of it is left: how it ended, in words. */
  readonly ended: Promise<string>;
  /** The end of what it wrote to its error stream. */
  errorTail(): string;
  /** Ends the whole tree: closes its input, asks, then forces. Resolves when it is gone. Safe to call twice. */
  end(): Promise<void>;
}

export interface StartOptions {
  readonly command: WalledCommand;
  /** Whether it stands within walls, which end with it. */
  readonly isWalled: boolean;
}

const TAIL_BYTES = 8 * 2 ** 10;
const INPUT_GRACE_MS = 1_000;
const TERM_GRACE_MS = 1_000;

/** What a program wrote last may come after its end. */
const DRAIN_MS = 200;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a server's program. Throws what the system says if it cannot. */
export async function startServerProcess({ command, isWalled }: StartOptions): Promise<ServerProcess> {
  const { argv, environment, cwd, user } = command;
  const [program, ...words] = argv;
  const marker = randomUUID();
  const env = isWalled ? environment : { ...environment, [MARKER_NAME]: marker };
  const child = spawn(program, words, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"], ...user });
  // Writing to a program that has ended is its end, which is told elsewhere.
  child.stdin.on("error", () => {});
  if (child.pid === undefined) {
    const [error] = await once(child, "error");
    await command.done?.();
    throw error;
  }
  child.on("error", () => {});
  return followed(child, { pid: child.pid, marker }, command);
}

function followed(child: Child, root: TreeRoot, command: WalledCommand): ServerProcess {
  const tail = byteTail(TAIL_BYTES);
  child.stderr.on("data", (chunk: Buffer) => tail.add(chunk));
  const guard = orphanGuard(root);
  const ended = endOf(child, { root, guard, command });
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

interface Leavings {
  readonly root: TreeRoot;
  readonly guard: OrphanGuard;
  readonly command: WalledCommand;
}

async function endOf(child: Child, { root, guard, command }: Leavings): Promise<string> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  // Somebody it started may hold the pipes for good, so their end is not waited for.
  await Promise.race([once(child.stdout, "close"), pause(DRAIN_MS, undefined, { ref: false })]);
  await endTree(root, TERM_GRACE_MS);
  guard.dismiss();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  await command.done?.().catch(() => {});
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

async function finish(child: Child, root: TreeRoot, ended: Promise<string>): Promise<void> {
  child.stdin.end();
  const isOver = await Promise.race([ended.then(() => true), pause(INPUT_GRACE_MS, false, { ref: false })]);
  if (!isOver) await endTree(root, TERM_GRACE_MS);
  await ended;
}
