import type { Objection, PolicyContext, Watchdog, WatchdogVerdict } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";

export const PASSES: WatchdogVerdict = Object.freeze({ action: "allow" });

export function objects(action: Objection, reason: string): WatchdogVerdict {
  return { action, reason };
}

/** A watchdog that objects to a call for a reason, and passes what there is none against. */
export function watchdog(
  name: string,
  objection: Objection,
  reasonAgainst: (call: PolicyCall, context: PolicyContext) => string | undefined,
): Watchdog {
  return Object.freeze<Watchdog>({
    name,
    evaluate(call, context) {
      const reason = reasonAgainst(call, context);
      return reason === undefined ? PASSES : objects(objection, reason);
    },
  });
}

/** The same for one that looks at each effect by itself. */
export function effectWatchdog(
  name: string,
  objection: Objection,
  reasonAgainst: (effect: CanonicalEffect, call: PolicyCall) => string | undefined,
): Watchdog {
  return watchdog(name, objection, (call) => {
    const { effects } = call;
    for (let index = 0; index < effects.length; index += 1) {
      const reason = reasonAgainst(effects[index] as CanonicalEffect, call);
      if (reason !== undefined) return reason;
    }
    return undefined;
  });
}

const LONGEST = 160;

/** A target for a reason: on one line, in quotes, not too long. */
export function quoted(target: string): string {
  return JSON.stringify(target.length > LONGEST ? `${target.slice(0, LONGEST)}…` : target);
}
