import { readdirSync, readFileSync } from "node:fs";

/** A file of `/proc`; `undefined` where there is none, or no longer. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return undefined;
  }
}

/** What `/proc/<pid>/stat` says about a process. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In ticks since the machine started. */
  readonly startedAt: number;
  readonly isDead: boolean;
  /** It runs nothing of its program any more and starts no process. */
  readonly isEnding: boolean;
  /** It has no other threads. */
  readonly isAlone: boolean;
  readonly isOfKernel: boolean;
}

/** From `include/linux/sched.h`. */
const PF_EXITING = 0x4;
const PF_KTHREAD = 0x200000;

export function statOf(pid: number): ProcessStat | undefined {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  // The name is in brackets and may itself contain brackets and spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "X", parent, group, session] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(fields[19]),
    isDead: state === "Z" || state === "X",
    isEnding: (Number(fields[6]) & PF_EXITING) !== 0,
    isAlone: Number(fields[17]) <= 1,
    isOfKernel: (Number(fields[6]) & PF_KTHREAD) !== 0,
  };
}

/** `undefined` where there is no `/proc`. */
export function allPids(): readonly number[] | undefined {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return undefined;
  }
}

/** The process id that was given out last. */
export function lastPid(): number {
  return Number(readProc("loadavg")?.trim().split(" ").at(-1) ?? -1);
}

/** How many tasks the machine has. */
export function taskCount(): number {
  return Number(/\d+\/(\d+)/.exec(readProc("loadavg") ?? "")?.[1] ?? 0);
}

const CLOSE_ON_EXEC = 0o2000000;

/** The open files of this process that every program which it starts inherits. Node's own are not among them. */
export function inheritedFiles(): readonly number[] {
  return readdirSync("/proc/self/fd").map(Number).filter(isInherited);
}

function isInherited(descriptor: number): boolean {
  const info = readProc(`self/fdinfo/${descriptor}`);
  // It was the one that the list was read from.
  if (info === undefined) return false;
  const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
