import { readdirSync, readlinkSync } from "node:fs";
import { allPids, readProc } from "../../processes/proc.ts";

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

export function countInside(init: number): number {
  return pidsInside(init).length;
}

/** The processes that are chosen by their ids inside, by their ids outside. */
export function processesOf(init: number, isChosen: (pid: string) => boolean): readonly number[] {
  const chosen = new Set(pidsInside(init).filter(isChosen));
  const namespace = namespaceOf(init);
  if (chosen.size === 0 || namespace === undefined) return [];
  return (allPids() ?? []).filter((pid) => namespaceOf(pid) === namespace && chosen.has(innerPid(pid)));
}

function innerPid(pid: number): string {
  return /^NSpid:.*\s(\d+)$/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? FIRST;
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
