import { availableParallelism, loadavg } from "node:os";

/** So many processes wait for each core while all tests run. */
const USUAL = 4;

/** A time limit, longer by as much as more processes wait for a core, of other programs too. */
export function inCrowd(ms: number): number {
  return Math.round(ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism() / USUAL));
}
