import { SYSTEM_CALLS } from "./system-call-numbers.ts";

/** Processors with known system calls, by the names that Node gives them. */
export type KnownProcessor = "x64" | "arm64";

export type SystemCall = keyof typeof SYSTEM_CALLS;

/** The last one of Linux 6.18, on both processors. */
export const LAST_KNOWN_CALL = 469;

export function callNumber(name: SystemCall, processor: KnownProcessor): number | undefined {
  const [x64, arm64] = SYSTEM_CALLS[name];
  return processor === "x64" ? x64 : arm64;
}

export function isKnownProcessor(name: string): name is KnownProcessor {
  return name === "x64" || name === "arm64";
}
