import { readdirSync, readFileSync } from "node:fs";

/** The processes that carry a marker in their command line, and are not dead. */
export function leftProcesses(marker: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(marker);
      } catch {
        return false;
      }
    });
}
