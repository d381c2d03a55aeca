import { NAMES, SECRET } from "./code-loading-patterns.ts";

const PATTERNS = Object.values(NAMES).flatMap((names) => names.split(" "));
const EXACT: ReadonlySet<string> = new Set(PATTERNS.filter((name) => !name.includes("*")));
const STARTS = PATTERNS.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
const ENDS = PATTERNS.filter((name) => name.startsWith("*")).map((name) => name.slice(1));

/** Whether the value of this variable decides what runs. */
export function decidesWhatRuns(name: string): boolean {
  const upper = name.toUpperCase();
  if (EXACT.has(upper)) return true;
  const isListed = STARTS.some((start) => upper.startsWith(start)) || ENDS.some((end) => upper.endsWith(end));
  return isListed && !SECRET.test(upper);
}
