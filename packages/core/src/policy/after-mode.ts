import { treatmentOf } from "../contract/call/mode.ts";
import type { Decision, PolicyMode } from "../contract/policy/decision.ts";
import { isOwn } from "../contract/values/origin.ts";
import type { AllowList } from "./rules/allow-list.ts";
import type { PolicyInput } from "./rules/policy-call.ts";
import { andThen } from "./rules/promises.ts";

/** A tool that is not gated gets what its mode suggests if no rule matches. An explicit ask still asks. */
export function unlessUngated(decision: Decision, { call, trace }: PolicyInput): Decision {
  const { tool, origin } = call.found;
  if (decision.action !== "ask" || decision.layer !== "default" || tool.gated) return decision;
  const onlyReads = call.effects.every(({ capability }) => capability === "fs.read");
  const counts = isOwn(origin) || (origin.source === "folder" && onlyReads);
  if (!counts || treatmentOf(tool.mode).base !== "allow") return decision;
  const matchedBy = `not gated, ${tool.mode}`;
  trace?.push({ layer: "default", said: "allow", how: "answers", matchedBy });
  return { action: "allow", layer: "default", matchedBy };
}

/** Applies the policy mode to an ask, or to a deny that is not final. */
export function afterMode(
  mode: PolicyMode,
  allowList: AllowList | undefined,
  decision: Decision,
  { call, context, trace }: PolicyInput,
): Decision | Promise<Decision> {
  if (decision.action === "allow") return decision;
  // Also an ask: what an administrator made final is asked in every mode.
  if (decision.isFinal === true || (decision.action === "deny" && mode !== "observe")) return decision;
  if (mode === "observe") return observed(decision, trace);
  // Only the approvers that it needs can answer it.
  if (decision.needs !== undefined) return decision;
  if (mode === "yolo") return answered({ action: "allow", layer: "mode", matchedBy: "yolo" }, trace);
  const entry = decision.layer === "default" ? allowList?.entryFor(call) : undefined;
  if (entry !== undefined) return answered({ action: "allow", layer: "allow-list", matchedBy: entry }, trace);
  if (decision.neverRemember) return decision;
  const approved = context.isApproved(call, "rules");
  if (approved === false) return decision;
  return andThen(approved, (isApproved) => (isApproved ? answered(APPROVED, trace) : decision));
}

const APPROVED: Decision = Object.freeze({
  action: "allow",
  layer: "approval",
  matchedBy: "approved before",
});

function answered(decision: Decision, trace: PolicyInput["trace"]): Decision {
  const { layer, matchedBy } = decision;
  trace?.push({ layer, said: "allow", how: "answers", matchedBy });
  return decision;
}

/** The call is allowed, and what would have been decided is recorded. */
export function observed(decision: Decision, trace: PolicyInput["trace"]): Decision {
  const { action, reason, matchedBy } = decision;
  if (action === "allow") return decision;
  trace?.push({ layer: "mode", said: "allow", how: "observes", matchedBy: "observe" });
  return {
    action: "allow",
    layer: "mode",
    matchedBy: `observe, would ${action}: ${matchedBy}`,
    observed: { action, reason: reason ?? matchedBy },
  };
}
