import type { Effect } from "@toolkeep/core";

/** Effects as lines, to compare those of two evaluations. */
export function effectLines(effects: readonly Effect[]): readonly string[] {
  return [...new Set(effects.map(({ capability, target }) => `${capability} ${target}`))];
}
