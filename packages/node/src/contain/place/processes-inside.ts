import { readdirSync, readlinkSync } from "node:fs";
import { allPids, readProc } from "../../processes/proc.ts";

/** The first process of a place, and what keeps it alive. */
const OWN = new Set(["1", "2"]);

/** The processes of commands, by their ids inside. */
export function pidsInside(init: number): readonly string[] {
  try {
    return readdirSync(`/proc/${init}/root/proc`).filter((name) => /^\d+$/.test(name) && !OWN.has(name));
  } catch {
    return [];
  }
}

export function countInside(init: number): number {
  return pidsInside(init).length;
}

/** The processes of commands, by their ids outside. */
export function processesOf(init: number): readonly number[] {
  const namespace = namespaceOf(init);
  if (namespace === undefined) return [];
  return (allPids() ?? []).filter((pid) => namespaceOf(pid) === namespace && !OWN.has(innerPid(pid)));
}

function innerPid(pid: number): string {
  return /^NSpid:.*\s(\d+)$/m.exec(readProc(`${pid}/status`) ?? "")?.[1] ?? "1";
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
