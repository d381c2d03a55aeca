import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks in a second, as `/proc` counts: the same on every Linux. */
const TICKS = 100;

/**
 * Milliseconds of processor from now until the result is called, of this process and of everything that its parent
 * started or took over, with what ended: the keeper of a place and its processes are among them.
 */
export function cpuTime(): () => number {
  const others = ticksOfOthers();
  const own = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(own);
    return (user + system) / 1_000 + ((ticksOfOthers() - others) * 1_000) / TICKS;
  };
}

interface Row {
  readonly parent: number;
  readonly ticks: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

function ticksOfOthers(): number {
  const rows = new Map<number, Row>();
  for (const name of readdirSync("/proc")) {
    const row = /^\d+$/.test(name) ? rowOf(name) : undefined;
    if (row !== undefined) rows.set(Number(name), row);
  }
  let sum = 0;
  for (const [pid, { ticks, ended }] of rows) {
    let at: number | undefined = pid;
    while (at !== undefined && at !== process.ppid) at = rows.get(at)?.parent;
    if (at !== undefined) sum += pid === process.pid ? ended : ticks + ended;
  }
  return sum;
}

function rowOf(pid: string): Row | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}
