import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** What of the machine itself an attack may want to change. */
export interface Machine {
  readonly settings: string;
  readonly processes: ReadonlySet<string>;
}

const SETTINGS = ["hostname", "core_pattern", "domainname"].map((name) => `/proc/sys/kernel/${name}`);
const GRACE = 15_000;

export function lookAtMachine(): Machine {
  return { settings: settingsNow(), processes: processesNow() };
}

/** What is not as it was. Processes get a moment to be gone. */
export async function machineDamage(before: Machine, grace = GRACE): Promise<readonly string[]> {
  const isLeft = () => [...processesNow()].some((id) => !before.processes.has(id));
  for (let waited = 0; isLeft() && waited < grace; waited += 50) await setTimeout(50);
  return [
    ...(settingsNow() === before.settings ? [] : ["a setting of the kernel was changed"]),
    ...(isLeft() ? ["a process is left"] : []),
  ];
}

/** Ends what was started since, in the namespace of processes that a run has to itself. */
export function endNew({ processes }: Machine): void {
  for (const id of processesNow()) {
    if (processes.has(id)) continue;
    try {
      process.kill(Number(id), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function settingsNow(): string {
  return SETTINGS.map((path) => readFileSync(path, "utf8")).join("");
}

function processesNow(): ReadonlySet<string> {
  return new Set(readdirSync("/proc").filter((name) => /^\d+$/.test(name)));
}
