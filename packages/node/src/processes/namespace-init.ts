import { readFileSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

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
/** Most namespaces are over within a part of a millisecond, which is the shortest that a timer waits. */
const QUICK_LOOKS = 60;

/** Kills process 1, and waits until nothing of its namespace can run any more. Says whether that is so. */
export async function endNamespace(init: NamespaceInit): Promise<boolean> {
  const deadline = performance.now() + LONGEST_MS;
  for (let looks = 0; !isOver(init); looks += 1) {
    try {
      process.kill(init.pid, "SIGKILL");
    } catch {
      // It has gone in between; the next look tells.
    }
    if (performance.now() > deadline) return false;
    await (looks < QUICK_LOOKS ? nextTurn() : pause(1));
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

/** From `include/linux/sched.h`: it runs nothing of its program any more and starts no process. */
const PF_EXITING = 0x4;

/**
 * A first thread that has ended waits as a zombie for the others, so that it counts as over only alone. One that is
 * about to end takes its mounts down before it becomes a zombie, which is most of the time; it is over as soon as it has
 * no children, because every other process of the namespace descends from it.
 */
function lifeOf(pid: number): Life | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const isDead = fields[0] === "Z" || fields[0] === "X";
  const isEnding = (Number(fields[6]) & PF_EXITING) !== 0;
  const isAlone = Number(fields[17]) <= 1;
  return {
    startedAt: Number(fields[19]),
    isOver: isAlone && (isDead || (isEnding && readProc(`/proc/${pid}/task/${pid}/children`) === "")),
  };
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
