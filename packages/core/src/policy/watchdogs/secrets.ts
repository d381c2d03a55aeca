import type { Objection, Watchdog } from "../../contract/policy/decision.ts";
import { leavesBy } from "./taint.ts";
import { watchdog } from "./verdict.ts";

/** Objects to a secret in the arguments or the targets of a call that can send data off the machine. */
export function secrets(objection: Objection = "deny"): Watchdog {
  return watchdog("secrets", objection, (call, context) => {
    if (leavesBy(call, context.sandbox) === undefined) return undefined;
    if (context.holdsSecret(call.argsText))
      return "A secret stands in the arguments, and the call may send them away.";
    const target = call.effects.find((effect) => context.holdsSecret(effect.target));
    return target && `A secret stands in the target of ${target.capability}, which may send it away.`;
  });
}
