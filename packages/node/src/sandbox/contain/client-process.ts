import { readProc, statOf } from "../../processes/proc.ts";

/** What stands between a client and a command that it runs. */
const BETWEEN = /^(?:(?:ba|z|da|k|a|fi)?sh|fish|env|timeout|nice|setsid|stdbuf|script|toolkeep)$/;

/** The client that runs this process: the nearest of those that started it which is no shell. */
export function clientProcess(start: number = process.ppid): number | undefined {
  for (let pid = start; pid > 1; ) {
    const [stat, name] = [statOf(pid), readProc(`${pid}/comm`)?.trim()];
    if (stat === undefined || name === undefined) return undefined;
    if (!BETWEEN.test(name)) return pid;
    pid = stat.parent;
  }
  return undefined;
}
