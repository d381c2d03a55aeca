import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Process 1 of a command's process namespace, as it is known outside. The kernel ends every process of the namespace
 * with it, and it is not over before all of them are: whatever they did to their environment, group, session or parent.
 */
export interface NamespaceInit {
  readonly pid: number;
  /** In ticks since the machine started, so that another process with the same id is not taken for it. */
  readonly startedAt: number;
}

/**
 * What `bwrap --info-fd` has reported. It is written before anything of the command runs, and the file is closed within.
 * `undefined`: nothing was reported, so that nothing was run; or it is over already.
 */
export function initFrom(report: string): NamespaceInit | undefined {
  const pid = Number(/"child-pid":\s*(\d+)\s*[,}]/.exec(report)?.[1] ?? 0);
  if (pid <= 1) return undefined;
  const startedAt = lifeOf(pid)?.startedAt;
  return startedAt === undefined || !isInit(pid) ? undefined : { pid, startedAt };
}

const LONGEST_MS = 10_000;

/** Kills process 1, and waits until it is over, and with it all of its namespace. Says whether it is. */
export async function endNamespace(init: NamespaceInit): Promise<boolean> {
  const deadline = performance.now() + LONGEST_MS;
  while (!isOver(init)) {
    try {
      process.kill(init.pid, "SIGKILL");
    } catch {
      // It has gone in between; the next look tells.
    }
    if (performance.now() > deadline) return false;
    await pause(1);
  }
  return true;
}

function isOver({ pid, startedAt }: NamespaceInit): boolean {
  const life = lifeOf(pid);
  return life === undefined || life.startedAt !== startedAt || life.isOver;
}

interface Life {
  readonly startedAt: number;
  readonly isOver: boolean;
}

/** A first thread that has ended waits as a zombie for the others, so that it counts as over only alone. */
function lifeOf(pid: number): Life | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const isDead = fields[0] === "Z" || fields[0] === "X";
  return { startedAt: Number(fields[19]), isOver: isDead && Number(fields[17]) <= 1 };
}

/** Whether it is the first process of a namespace beneath ours. */
function isInit(pid: number): boolean {
  return /^NSpid:\t\d+.*\t1$/m.test(readProc(`/proc/${pid}/status`) ?? "");
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
