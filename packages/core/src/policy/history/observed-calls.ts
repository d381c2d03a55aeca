import { visible } from "../shown/visible.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** One kind of call that passed because it was observed. */
export interface ObservedCalls {
  readonly action: "ask" | "deny";
  readonly toolName: string;
  readonly reason: string;
  readonly count: number;
  /** What the calls were about, without repetition. */
  readonly targets: readonly string[];
}

/** What a policy in `observe` mode would have asked or denied, the most frequent first. */
export function observedCalls(calls: readonly RecordedCall[]): readonly ObservedCalls[] {
  const kinds = new Map<string, ObservedCalls>();
  for (const { call, observed } of calls) {
    if (observed === undefined) continue;
    const { action, reason } = observed;
    const toolName = call.found.name;
    const key = JSON.stringify([action, toolName, reason]);
    const before = kinds.get(key) ?? { action, toolName, reason, count: 0, targets: [] };
    const targets = call.effects.map(({ capability, target }) => `${capability} ${target}`);
    kinds.set(key, {
      ...before,
      count: before.count + 1,
      targets: [...new Set([...before.targets, ...targets])],
    });
  }
  return [...kinds.values()].toSorted((one, other) => other.count - one.count);
}

const MOST_TARGETS = 5;

/** The same for a terminal. */
export function observedText(observed: readonly ObservedCalls[]): string {
  return observed
    .map(({ action, toolName, reason, count, targets }) => {
      const more = targets.length > MOST_TARGETS ? [`  and ${targets.length - MOST_TARGETS} more`] : [];
      return [
        `${count} x would ${action}: ${visible(toolName)}: ${visible(reason)}`,
        ...targets.slice(0, MOST_TARGETS).map((target) => `  ${visible(target)}`),
        ...more,
      ].join("\n");
    })
    .join("\n");
}
