import type { Decision, PolicyMode } from "../contract/decision.ts";
import { treatmentOf } from "../contract/mode.ts";
import { isOwn } from "../contract/origin.ts";
import type { AllowList } from "./allow-list.ts";
import { andThen } from "./and-then.ts";
import type { Hearing } from "./hearing.ts";

/** A tool that is not gated gets, where no rule speaks, what its mode suggests. An explicit ask still asks. */
export function unlessUngated(decision: Decision, { call, trace }: Hearing): Decision {
  const { tool, origin } = call.found;
  if (decision.action !== "ask" || decision.layer !== "default" || tool.gated) return decision;
  const onlyReads = call.effects.every(({ capability }) => capability === "fs.read");
  const counts = isOwn(origin) || (origin.source === "folder" && onlyReads);
  if (!counts || treatmentOf(tool.mode).base !== "allow") return decision;
  const ground = `not gated, ${tool.mode}`;
  trace?.push({ layer: "default", said: "allow", how: "answers", ground });
  return { action: "allow", layer: "default", ground };
}

/** What the session's mode makes of an ask, or of a deny that is not final. */
export function afterMode(
  mode: PolicyMode,
  allowList: AllowList | undefined,
  decision: Decision,
  { call, circumstances, trace }: Hearing,
): Decision | Promise<Decision> {
  if (decision.action === "allow") return decision;
  if (mode === "observe") return decision.isFinal ? decision : observed(decision, trace);
  if (decision.action === "deny") return decision;
  if (mode === "yolo") return answered({ action: "allow", layer: "mode", ground: "yolo" }, trace);
  const entry = decision.layer === "default" ? allowList?.entryFor(call) : undefined;
  if (entry !== undefined) return answered({ action: "allow", layer: "allow-list", ground: entry }, trace);
  if (decision.neverRemember) return decision;
  const approved = circumstances.isApproved(call, "rules");
  return andThen(approved, (isApproved) => (isApproved ? answered(APPROVED, trace) : decision));
}

const APPROVED: Decision = Object.freeze({ action: "allow", layer: "approval", ground: "approved before" });

function answered(decision: Decision, trace: Hearing["trace"]): Decision {
  const { layer, ground } = decision;
  trace?.push({ layer, said: "allow", how: "answers", ground });
  return decision;
}

/** It passes, and what would have become of it is written down. */
export function observed(decision: Decision, trace: Hearing["trace"]): Decision {
  const { action, reason, ground } = decision;
  if (action === "allow") return decision;
  trace?.push({ layer: "mode", said: "allow", how: "observes", ground: "observe" });
  return {
    action: "allow",
    layer: "mode",
    ground: `observe, would ${action}: ${ground}`,
    observed: { action, reason: reason ?? ground },
  };
}
