import { ToolFailure } from "@toolkeep/core";

/** Counts what a session keeps, and what is reserved for commands that still write. */
export interface DiskQuota {
  /** Sets the number of bytes in use. */
  reset(used: number): void;
  /** @throws ToolFailure `too_large` if the quota does not allow so many bytes. */
  take(bytes: number): void;
  release(bytes: number): void;
  /** Reserves at most this many bytes, and half of what is free. @throws ToolFailure `too_large` if almost nothing is. */
  reserve(bytes: number): number;
}

/** A command that may write less than this is not started. */
const SMALLEST_RESERVATION = 4_096;

export function diskQuota(limit: number): DiskQuota {
  let used = 0;
  const refuse = () => {
    throw new ToolFailure("too_large", `The session's output is over its quota of ${limit} bytes.`, {
      hint: "Produce less output. Kept output is removed when the session closes.",
    });
  };
  return {
    reset(bytes) {
      used = bytes;
    },
    take(bytes) {
      if (used + bytes > limit) refuse();
      used += bytes;
    },
    release(bytes) {
      used = Math.max(0, used - bytes);
    },
    reserve(bytes) {
      const available = Math.floor((limit - used) / 2);
      if (available < SMALLEST_RESERVATION) refuse();
      const reserved = Math.min(bytes, available);
      used += reserved;
      return reserved;
    },
  };
}
