import { readdirSync, readlinkSync } from "node:fs";
import { unlessThrown } from "@toolkeep/core/internal";
import { allPids, readProc, statOf } from "../../../processes/proc.ts";

/** Whether a process has not ended, and its number is not that of another one by now. */
export function isRunning(pid: number, startedAt: number): boolean {
  const stat = statOf(pid);
  return stat?.startedAt === startedAt && !stat.isDead;
}

/** The first process of a place. */
const FIRST = "1";

/** The processes of commands, by their ids inside. */
export function pidsInside(init: number): readonly string[] {
  const names = unlessThrown(() => readdirSync(`/proc/${init}/root/proc`)) ?? [];
  return names.filter((name) => /^\d+$/.test(name) && name !== FIRST);
}

/**
 * The run that a process belongs to, by its id inside. It is told from outside by what is mounted for the run, which a
 * command cannot change. Nothing is remembered, for numbers of processes and of namespaces come again.
 */
export function runOfProcess(init: number, pid: string): string | undefined {
  const mounts =
    mountsOf(`${init}/root/proc/${pid}`) ?? mountsOfThread(`${init}/root/proc/${pid}/task`) ?? "";
  return /^\S+ \S+ \S+ \S*\/runs\/([\w-]+)\/resolv\.conf \S*resolv\.conf /m.exec(mounts)?.[1];
}

/** A process whose first thread has ended has none of its own, and continues. */
function mountsOfThread(tasks: string): string | undefined {
  const names = unlessThrown(() => readdirSync(`/proc/${tasks}`)) ?? [];
  return names.map((name) => mountsOf(`${tasks}/${name}`)).find((one) => one !== undefined);
}

function mountsOf(process: string): string | undefined {
  return readProc(`${process}/mountinfo`) || undefined;
}

/** The run of each process, by its id inside. */
export function runsInside(init: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const byNamespace = new Map<string, string | undefined>();
  for (const pid of pidsInside(init)) {
    const namespace = linkOf(`/proc/${init}/root/proc/${pid}/ns/mnt`) ?? pid;
    const run = byNamespace.get(namespace) ?? runOfProcess(init, pid);
    byNamespace.set(namespace, run);
    if (run !== undefined) found.set(pid, run);
  }
  return found;
}

/** The processes of a run, by their ids outside. */
export function processesOf(init: number, run: string): readonly number[] {
  const runs = runsInside(init);
  const namespace = linkOf(`/proc/${init}/ns/pid`);
  if (namespace === undefined || !runs.values().some((one) => one === run)) return [];
  return (allPids() ?? []).filter(
    (pid) => linkOf(`/proc/${pid}/ns/pid`) === namespace && runs.get(innerPid(pid)) === run,
  );
}

function innerPid(pid: number): string {
  return /^NSpid:.*\s(\d+)$/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? FIRST;
}

/** Where a link of `/proc` leads; `undefined` where there is none, or no longer. */
export function linkOf(path: string): string | undefined {
  return unlessThrown(() => readlinkSync(path));
}
