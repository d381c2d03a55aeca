import type { ApprovalAnswer, ApprovalRequest, SignedApproval } from "../../../contract/approval/approval.ts";
import type { AuthorizedCall } from "../../../contract/stages/call.ts";
import {
  type CountedNeed,
  isLacking,
  type SignedApprovals,
} from "../../../policy/approvals/approver-keys.ts";
import type { Turn } from "../../turn/turn.ts";

/**
 * Why an answer is not what the call needs under the policy of this moment, or `undefined`. The signatures are verified
 * again, with the keys of this moment: a journal can be written by others, and people leave.
 */
export async function approvalsMissing(
  { decision: { action, needs } }: AuthorizedCall,
  {
    id,
    shown,
    answer,
  }: { readonly id: string; readonly shown: ApprovalRequest; readonly answer: ApprovalAnswer },
  turn: Turn,
): Promise<string | undefined> {
  if (action !== "ask" || needs === undefined) return undefined;
  const signed = answer.verdict === "once" ? (answer.signed ?? []) : [];
  const { signedApprovals } = turn.runtime;
  const requester = turn.principal.user;
  // Recorded, so that a replay finds what was found then.
  const missing = await turn.steps.run(`${id}/signed`, "none", async () => {
    const valid = await validApprovals(signed, shown, signedApprovals);
    const lacking = signedApprovals.counted(needs, valid, requester).find(isLacking);
    return lacking === undefined ? null : lackingText(lacking);
  });
  return missing ?? undefined;
}

/** The names of those whose signed approval is valid now. */
export async function validApprovals(
  signed: readonly SignedApproval[],
  request: ApprovalRequest,
  signedApprovals: SignedApprovals,
): Promise<readonly string[]> {
  const now = Date.now();
  const names: string[] = [];
  for (const one of Array.isArray(signed) ? (signed as readonly SignedApproval[]) : []) {
    if ((await signedApprovals.errorOf(one, request, now)) !== undefined) continue;
    if (one.statement.verdict === "once") names.push(one.statement.approver);
  }
  return names;
}

function lackingText({ group, count, by }: CountedNeed): string {
  return `${by.length} of ${count} of the group ${group} have signed`;
}
