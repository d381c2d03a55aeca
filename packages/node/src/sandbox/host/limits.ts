import { readFileSync } from "node:fs";
import { defined, invalidOption } from "@toolkeep/core/internal";
import { taskCount } from "../../processes/proc.ts";

/** What a sandboxed command may use. Each limit applies to one process, except `processes`. */
export interface Limits {
  /** Bytes of private writable memory: memory that is merely reserved does not count. */
  readonly memory?: number;
  /** Bytes of address space. Default: unlimited, because many runtimes reserve far more than they use. */
  readonly addressSpace?: number;
  /** Bytes of the largest file it may write, its output included. */
  readonly fileSize?: number;
  readonly openFiles?: number;
  /** Seconds on a processor. */
  readonly cpuSeconds?: number;
  /** Processes and threads in addition to those that the whole machine has when the command starts. */
  readonly processes?: number;
}

const GIBIBYTE = 2 ** 30;

const DEFAULT_LIMITS = {
  memory: 4 * GIBIBYTE,
  fileSize: GIBIBYTE,
  openFiles: 8_192,
  cpuSeconds: 3_600,
  processes: 512,
} as const satisfies Limits;

const NAMES: readonly (keyof Limits)[] = [
  "memory",
  "addressSpace",
  "fileSize",
  "openFiles",
  "cpuSeconds",
  "processes",
];

/** @throws ToolkeepError `invalid_option` for a limit that is no positive whole number. */
export function checkedLimits(given: Limits = {}): Limits {
  for (const name of NAMES) {
    const value = given[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw invalidOption(`\`limits.${name}\` is a whole number above 0.`);
  }
  return { ...DEFAULT_LIMITS, ...given };
}

/** Commands of a place run as outside, where nothing limits memory, files and time. */
export function limitsInPlace({ processes }: Limits): Limits {
  return defined({ processes });
}

/** The arguments for `prlimit`. None is set above our own hard limit, which only root could do. */
export function limitArgs(limits: Limits, hardLimits: HardLimits): readonly string[] {
  const { memory, addressSpace, fileSize, openFiles, cpuSeconds, processes } = limits;
  const limitArg = (option: string, value: number | undefined, row: string) =>
    value === undefined ? [] : [`--${option}=${Math.min(value, hardLimits.get(row) ?? value)}`];
  return [
    "--core=0",
    ...limitArg("data", memory, "Max data size"),
    ...limitArg("as", addressSpace, "Max address space"),
    ...limitArg("fsize", fileSize, "Max file size"),
    ...limitArg("nofile", openFiles, "Max open files"),
    ...limitArg("cpu", cpuSeconds, "Max cpu time"),
    // The kernel counts the processes of a user everywhere, not those in the sandbox. So the limit is added to what may
    // exist already: the user has no more than the machine.
    ...limitArg("nproc", processes === undefined ? undefined : processes + taskCount(), "Max processes"),
  ];
}

/** Of this process, by their names in `/proc/self/limits`; those without a limit are missing. */
export type HardLimits = ReadonlyMap<string, number>;

export function readHardLimits(): HardLimits {
  const lines = readFileSync("/proc/self/limits", "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, name, hard] = /^(Max [a-z ]+?) {2,}\S+ +(\d+) /.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(hard)] as const];
    }),
  );
}
