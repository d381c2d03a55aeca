import { ToolFailure } from "@toolkeep/core";

/** How much a session may keep, how much it does, and what is promised to commands that still write. */
export interface DiskQuota {
  readonly limit: number;
  /** Starts counting from what is there already. */
  reset(used: number): void;
  /** @throws ToolFailure `too_large` if there is no room for so much. */
  take(bytes: number): void;
  give(bytes: number): void;
  /**
   * Promises at most so much. Never more than half of what is left, so that others find room beside it.
   * @throws ToolFailure `too_large` if next to nothing is left.
   */
  promise(bytes: number): number;
}

/** A command that may write less than this is better not started. */
const SMALLEST_PROMISE = 4_096;

export function diskQuota(limit: number): DiskQuota {
  let used = 0;
  const refuse = () => {
    throw new ToolFailure("too_large", `The session's output is over its quota of ${limit} bytes.`, {
      hint: "Ask for less output; what is kept goes when the session closes.",
    });
  };
  return {
    limit,
    reset(bytes) {
      used = bytes;
    },
    take(bytes) {
      if (used + bytes > limit) refuse();
      used += bytes;
    },
    give(bytes) {
      used = Math.max(0, used - bytes);
    },
    promise(bytes) {
      const room = Math.floor((limit - used) / 2);
      if (room < SMALLEST_PROMISE) refuse();
      const promised = Math.min(bytes, room);
      used += promised;
      return promised;
    },
  };
}
