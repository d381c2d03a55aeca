import type { HookCall, HookVerdict } from "../../clients/hook-call.ts";
import { isPausable } from "../../project/pause/paused-calls.ts";
import type { Pause } from "../../project/pause/pauses.ts";
import type { ExplainedCall } from "./verdict/refused-calls.ts";

/** Whether a pause answers a hook: something asks, nothing is denied, and everything that asks may be paused. */
export function isPausedHook({ manners }: HookCall, calls: readonly ExplainedCall[]): boolean {
  // Where the hook has to say `allow`, it must not do so in a mode that changes nothing.
  if (!manners.canLeave && manners.isReadOnly) return false;
  const decisions = calls.map(({ explained }) => explained);
  return (
    decisions.some((one) => one?.decision.action === "ask") &&
    decisions.every((one) => one !== undefined && (one.decision.action === "allow" || isPausable(one)))
  );
}

/** The call is left to the client, with its own rules and questions. */
export function pausedVerdict({ manners }: HookCall, { until }: Pause): HookVerdict {
  const reason = `Toolkeep is paused until ${new Date(until).toISOString()}.`;
  return { action: manners.canLeave ? "none" : "allow", decided: "ask", reason };
}
