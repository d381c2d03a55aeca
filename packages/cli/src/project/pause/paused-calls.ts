import type { ApprovalRequest, Approver } from "@toolkeep/core";
import type { Explanation } from "@toolkeep/core/policy";
import type { Project } from "../read-project.ts";
import { activePause, pauseName } from "./pauses.ts";
import { protectedBy } from "./protected-asks.ts";

/**
 * Whether a pause covers a call that asks. It covers what an "always" could cover; keys, what is published and Toolkeep
 * itself are asked about as ever. A deny is no question, and stays.
 */
export function isPausable({
  decision,
  effects,
}: Pick<Explanation, "effects"> & {
  readonly decision: Pick<Explanation["decision"], "action" | "askedBy" | "reason" | "neverRemember">;
}): boolean {
  if (decision.action !== "ask" || decision.neverRemember === true) return false;
  // Without the rule that asks: what a rule of the user's own asks about is protected too.
  return protectedBy({ decision: { ...decision, layer: "default" }, effects }) === undefined;
}

/** An approver that answers by itself while the project is paused. The audit log names the pause. */
export function pausable(approver: Approver, project: Pick<Project, "root" | "isManaged">): Approver {
  return {
    ...approver,
    async approve(request, signal) {
      const pause = isCovered(request) ? await activePause(project) : undefined;
      if (pause === undefined) return approver.approve(request, signal);
      return { verdict: "once", by: pauseName(pause) };
    },
  };
}

/** A request that is too long to be shown may not be remembered, and is not paused either. */
function isCovered({ askedBy, reason, effects, mayRemember }: ApprovalRequest): boolean {
  return mayRemember && isPausable({ decision: { action: "ask", askedBy, reason }, effects });
}
