import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Set in the environment of a server's program, so that processes which leave its group are found again. */
export const MARKER_NAME = "TOOLKEEP_SERVER";

/** The first process of a server, and what the others are told by. */
export interface TreeRoot {
  /** Also the id of its process group and of its session. */
  readonly pid: number;
  readonly marker: string;
}

const POLL_MS = 15;
const KILL_FOR_MS = 2_000;

/** Ends the group, the session, their descendants, and whatever carries the marker: asks first, then forces. */
export async function endTree(root: TreeRoot, graceMs: number): Promise<void> {
  const asked = performance.now();
  signalAll(membersOf(root), "SIGTERM");
  while (membersOf(root).length > 0 && performance.now() - asked < graceMs) await pause(POLL_MS);
  const forced = performance.now();
  for (let members = membersOf(root); members.length > 0; members = membersOf(root)) {
    signalAll(members, "SIGKILL");
    if (performance.now() - forced > KILL_FOR_MS) return;
    await pause(1);
  }
}

/** Negative numbers are groups, as `kill` takes them. The dead that nobody has waited for do not count. */
function membersOf(root: TreeRoot): readonly number[] {
  const all = allProcesses();
  if (all === undefined) return isThere(groupOf(root.pid)) ? [groupOf(root.pid)] : [];
  const pids = new Set(all.filter((one) => isOfTree(one, root)).map(({ pid }) => pid));
  for (let before = -1; before < pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  pids.delete(process.pid);
  return [...pids];
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

function isOfTree({ pid, group, session }: ProcessStat, root: TreeRoot): boolean {
  if (pid === root.pid || group === root.pid || session === root.pid) return true;
  const environment = readProc(`/proc/${pid}/environ`);
  return environment?.split("\0").includes(`${MARKER_NAME}=${root.marker}`) ?? false;
}

function allProcesses(): readonly ProcessStat[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(Number(name)))
      .filter((stat) => stat !== undefined);
  } catch {
    return undefined;
  }
}

function statOf(pid: number): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name stands in brackets and may itself hold brackets and spaces.
  const [state = "X", parent, group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function signalAll(pids: readonly number[], signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It is gone, or it is not ours to end; the next look tells.
    }
  }
}

/** There are no groups on Windows: what a program started there outlives it. */
function groupOf(pid: number): number {
  return process.platform === "win32" ? pid : -pid;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
