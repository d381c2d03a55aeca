import type { Objection, WatchdogVerdict } from "../../contract/policy/decision.ts";

export const PASSES: WatchdogVerdict = Object.freeze({ action: "allow" });

export function objects(action: Objection, reason: string): WatchdogVerdict {
  return { action, reason };
}

const LONGEST = 160;

/** A target for a reason: on one line, in quotes, not too long. */
export function quoted(target: string): string {
  return JSON.stringify(target.length > LONGEST ? `${target.slice(0, LONGEST)}…` : target);
}
