import type { Figure, Goal } from "../../benchmarks/src/report.ts";

/** What one part of the day came to. */
export interface Part {
  readonly goals: readonly Goal[];
  readonly figures: readonly Figure[];
  /** Why a part proves nothing. */
  readonly voids: readonly string[];
  /** Dangerous things that would run without a question. */
  readonly unasked: readonly string[];
  /** Every step with its answer, where a part tells. */
  readonly steps?: readonly Figure[];
}

export function joined(parts: readonly Part[]): Part {
  return {
    goals: parts.flatMap(({ goals }) => goals),
    figures: parts.flatMap(({ figures }) => figures),
    voids: parts.flatMap(({ voids }) => voids),
    unasked: parts.flatMap(({ unasked }) => unasked),
  };
}
