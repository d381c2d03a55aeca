import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { allPids, readProc } from "../../../processes/proc.ts";

/** The first process of a place. */
const FIRST = "1";

/** The processes of commands, by their ids inside. */
export function pidsInside(init: number): readonly string[] {
  try {
    return readdirSync(`/proc/${init}/root/proc`).filter((name) => /^\d+$/.test(name) && name !== FIRST);
  } catch {
    return [];
  }
}

/**
 * The run that a process belongs to, by its id inside. It is told from outside by what is mounted for the run, which a
 * command cannot change. Nothing is remembered, for numbers of processes and of namespaces come again.
 */
export function runOfProcess(init: number, pid: string): string | undefined {
  try {
    const mounts = readFileSync(`/proc/${init}/root/proc/${pid}/mountinfo`, "utf8");
    return /^\S+ \S+ \S+ \S*\/runs\/([\w-]+)\/resolv\.conf \S*resolv\.conf /m.exec(mounts)?.[1];
  } catch {
    return undefined;
  }
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
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
