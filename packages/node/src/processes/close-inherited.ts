import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what whoever started us left open, beside the three streams: it would go on to every process that is
 * started from here. What Node opens for itself is never handed on, and so is told apart. Only where there is
 * /proc.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > 2 && isHandedOn(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
