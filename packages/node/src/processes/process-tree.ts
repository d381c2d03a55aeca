import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { allPids, lastPid, type ProcessStat, readProc, statOf } from "./proc.ts";

/** The variable that marks the environment of every process that is started, so that processes that leave its group are found. */
const MARKER_NAME = "TOOLKEEP_COMMAND";

/** What marks the processes of one command: the entry for their environment, and what finds them again. */
export function markerFor(id: string, name: string = MARKER_NAME) {
  return { environment: { [name]: id }, marker: `${name}=${id}` } as const;
}

/** The first process of a command, and what identifies the others. */
export interface TreeRoot {
  /** Also the id of its process group and of its session. Unknown: 0. */
  readonly pid: number;
  /** In ticks since the machine started; `undefined` if that is unknown. */
  readonly startedAt: number | undefined;
  /** `NAME=value` in the environment of each of its processes. */
  readonly marker: string;
  /** Process 1 of the namespace that its command runs in, once that is known. It alone proves anything there. */
  readonly init?: NamespaceInit | undefined;
}

export interface EndOptions {
  /** How long it may take to end on its own; 0: it is killed at once. */
  readonly graceMs: number;
  /** It began so lately that whatever it started has a higher process id. */
  readonly isFresh?: boolean;
}

const POLL_MS = 15;
const KILL_FOR_MS = 1_500;
const MOST_DOUBTS = 4;

/**
 * Ends every process of the tree: the namespace if there is one, the group, the session, their descendants, and
 * whatever carries the marker. Gives how many are left that could not be ended.
 */
export async function endTree(root: TreeRoot, { graceMs, isFresh = false }: EndOptions): Promise<number> {
  if (graceMs > 0) await askToEnd(root, performance.now() + graceMs);
  const isEmpty = root.init === undefined || (await endNamespace(root.init));
  const deadline = performance.now() + KILL_FOR_MS;
  for (let doubts = 0; ; ) {
    const { members, isDoubtful } = lookAt(root, isFresh);
    signalAll(members, "SIGKILL");
    if (members.length === 0 && (!isDoubtful || ++doubts > MOST_DOUBTS)) return isEmpty ? 0 : 1;
    if (performance.now() > deadline) return members.length;
    await pause(1);
  }
}

async function askToEnd(root: TreeRoot, deadline: number): Promise<void> {
  signalAll(lookAt(root, false).members, "SIGTERM");
  do await pause(POLL_MS);
  while (lookAt(root, false).members.length > 0 && performance.now() < deadline);
}

/** Passes a signal to every process of a namespace except its first, which only waits for the others. */
export function signalNamespace({ pid, startedAt }: NamespaceInit, signal: NodeJS.Signals): void {
  const all = (allPids() ?? []).map(statOf).filter((stat) => stat !== undefined);
  const init = all.filter((stat) => stat.pid === pid && stat.startedAt === startedAt);
  signalAll(
    withDescendants(init, all).filter((one) => one !== pid),
    signal,
  );
}

/** When a process started, in ticks; `undefined` where there is no /proc, or no such process. */
export function startOf(pid: number): number | undefined {
  return statOf(pid)?.startedAt;
}

interface View {
  /** Negative numbers are groups, as for `kill`. Zombies are ignored. */
  readonly members: readonly number[];
  /** A process may have been missed: processes come and go meanwhile. */
  readonly isDoubtful: boolean;
}

function lookAt(root: TreeRoot, isFresh: boolean): View {
  const last = lastPid();
  const pids = (isFresh ? pidsBetween(root.pid, last) : undefined) ?? allPids();
  if (pids === undefined)
    return {
      members: root.pid > 0 && isRunning(groupOf(root.pid)) ? [groupOf(root.pid)] : [],
      isDoubtful: false,
    };
  const younger = pids
    .map(statOf)
    .filter((stat) => stat !== undefined)
    .filter((stat) => !stat.isDead && stat.startedAt >= (root.startedAt ?? 0));
  let isDoubtful = false;
  const found = younger.filter((stat) => {
    if (isOfGroup(stat, root) || isInitOf(stat, root)) return true;
    const environment = stat.isOfKernel ? undefined : readProc(`${stat.pid}/environ`);
    // A process that is just becoming another program has none for a moment.
    if (environment === "") isDoubtful = true;
    return environment?.split("\0").includes(root.marker) ?? false;
  });
  // A process that was started meanwhile may have lost its parent already.
  return { members: withDescendants(found, younger), isDoubtful: isDoubtful || hasNewer(last) };
}

function hasNewer(last: number): boolean {
  const newer = pidsBetween(last + 1, lastPid());
  return newer === undefined || newer.some((pid) => statOf(pid) !== undefined);
}

function isOfGroup({ pid, group, session }: ProcessStat, root: TreeRoot): boolean {
  return root.pid > 0 && (pid === root.pid || group === root.pid || session === root.pid);
}

function isInitOf({ pid, startedAt }: ProcessStat, { init }: TreeRoot): boolean {
  return pid === init?.pid && startedAt === init.startedAt;
}

function withDescendants(found: readonly ProcessStat[], all: readonly ProcessStat[]): readonly number[] {
  const pids = new Set(found.map(({ pid }) => pid));
  for (let before = -1; before < pids.size; ) {
    before = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  pids.delete(process.pid);
  return [...pids];
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It is gone, or it is not ours to end; the next look tells.
    }
  }
}

const MOST_FRESH = 256;

/** Process ids are given out in order, until they come round. `undefined`: there are too many to go through. */
function pidsBetween(first: number, last: number): readonly number[] | undefined {
  const count = last - first + 1;
  return count < 0 || count > MOST_FRESH ? undefined : Array.from({ length: count }, (_, at) => first + at);
}

/** Windows has no process groups: what a program started there outlives it. */
function groupOf(pid: number): number {
  return process.platform === "win32" ? pid : -pid;
}

/** Whether a process of any user has this number; a group of processes has a negative one. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Process 1 of a command's process namespace, as seen from outside. The kernel ends every process of the namespace with
 * it, and it is not over before all of them are: whatever they did to their environment, group, session or parent.
 */
export interface NamespaceInit {
  readonly pid: number;
  /** In ticks since the machine started, so that another process with the same id is not mistaken for it. */
  readonly startedAt: number;
}

/**
 * What `bwrap --info-fd` has reported. It is written before anything of the command runs, and the file is closed within.
 * `undefined`: nothing was reported, so that nothing was run; or it is over already.
 */
export function initFrom(report: string): NamespaceInit | undefined {
  const pid = Number(/"child-pid":\s*(\d+)\s*[,}]/.exec(report)?.[1] ?? 0);
  if (pid <= 1) return undefined;
  const startedAt = statOf(pid)?.startedAt;
  return startedAt === undefined || !isInit(pid) ? undefined : { pid, startedAt };
}

const LONGEST_MS = 10_000;
/** Most namespaces are over within a part of a millisecond, which is the shortest that a timer waits. */
const QUICK_LOOKS = 60;

/** Kills process 1, and waits until nothing of its namespace can run any more. Returns whether that is so. */
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

/**
 * A first thread that has ended waits as a zombie for the others, so it is over only if it is alone. One that is about
 * to end removes its mounts before it becomes a zombie, which takes most of the time; it is over as soon as it has no
 * children, because every other process of the namespace descends from it.
 */
function isOver({ pid, startedAt }: NamespaceInit): boolean {
  const stat = statOf(pid);
  if (stat?.startedAt !== startedAt) return true;
  return stat.isAlone && (stat.isDead || (stat.isEnding && readProc(`${pid}/task/${pid}/children`) === ""));
}

/** Whether it is the first process of a namespace beneath ours. */
function isInit(pid: number): boolean {
  return /^NSpid:\t\d+.*\t1$/m.test(readProc(`${pid}/status`) ?? "");
}
