import type {
  ApprovalAnswer,
  ApprovalRequest,
  PersonRequest,
  SignedApproval,
} from "../contract/approval/approval.ts";
import { validApprovals } from "../pipeline/stages/approval/signed-approvals.ts";
import type { Runtime } from "../pipeline/turn/turn.ts";
import { isLacking } from "../policy/approvals/approver-keys.ts";

/** A request that waits, and what was signed for it so far. */
interface AskedRequest {
  readonly turn: string;
  readonly id: string;
  readonly request: PersonRequest;
  readonly before: readonly SignedApproval[];
}

export function isSigned(answer: unknown): answer is SignedApproval {
  return typeof answer === "object" && answer !== null && "statement" in answer && "signature" in answer;
}

/** Why a signed answer is refused. */
export async function signedError(
  given: SignedApproval,
  { request, before }: AskedRequest,
  { signedApprovals }: Runtime,
): Promise<string | undefined> {
  if (!("binding" in request)) return "answers to questions are not signed";
  const error = await signedApprovals.errorOf(given, request, Date.now());
  if (error !== undefined) return error;
  const { approver, verdict } = given.statement;
  if (verdict === "reject" || request.needs === undefined) return undefined;
  const names = await validApprovals(before, request, signedApprovals);
  return signedApprovals.memberError(approver, request, names);
}

/**
 * What a signed answer makes of the request: its answer, or nothing yet where others must sign too. One rejection is
 * enough to reject.
 */
export async function signedAnswer(
  { statement, signature }: SignedApproval,
  { turn, id, request, before }: AskedRequest,
  { signedApprovals, recorder }: Runtime,
): Promise<ApprovalAnswer | undefined> {
  const signed = { statement, signature };
  const by = statement.approver;
  if (statement.verdict === "reject")
    return { verdict: "reject", message: `Denied: ${by} rejected this call.`, by, signed: [signed] };
  const { needs, principal } = request as ApprovalRequest;
  if (needs === undefined) return { verdict: "once", by, signed: [signed] };
  recorder.write(turn, { type: "approval-sign", id, signed });
  await recorder.flush();
  const all = [...before, signed];
  const names = await validApprovals(all, request as ApprovalRequest, signedApprovals);
  if (signedApprovals.counted(needs, names, principal.user).some(isLacking)) return undefined;
  return { verdict: "once", by: [...new Set(names)].join(", "), signed: all };
}
