import type { ApprovalRequest, ApprovalStatement, SignedApproval } from "../../contract/approval/approval.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { canonicalJson } from "../../contract/values/json-text.ts";
import { parseSshPublicKey, sshKeyId } from "../../signatures/ssh-public-key.ts";
import { verifySshSignature } from "../../signatures/ssh-signature.ts";
import { fingerprint } from "../approvers/fingerprint.ts";

/** What signatures of approvals are for: `ssh-keygen -Y sign -n toolkeep-approval`. */
export const APPROVAL_NAMESPACE = "toolkeep-approval";

/** What the approver adds to a request. */
export interface StatementInput {
  readonly verdict: ApprovalStatement["verdict"];
  readonly approver: string;
  /** The public key that will sign it, as a line of a `.pub` file. */
  readonly publicKey: string;
  /** Milliseconds since the epoch. Never later than the request itself expires. */
  readonly expiresAt: number;
}

/**
 * The statement that answers a request, and the text to sign with `ssh-keygen -Y sign -n toolkeep-approval`. The answer
 * to `session.answer` is then `{ statement, signature }`.
 * @throws ToolkeepError `invalid_option` for a public key that cannot be read, and a request that cannot be signed.
 */
export async function approvalStatement(
  request: ApprovalRequest,
  { verdict, approver, publicKey, expiresAt }: StatementInput,
): Promise<{ readonly statement: ApprovalStatement; readonly text: string }> {
  const key = await sshKeyId(parseSshPublicKey(publicKey));
  const deadline = Math.min(expiresAt, request.expiresAt ?? expiresAt);
  const statement = await statementOf(request, { verdict, approver, key, expiresAt: deadline });
  if (statement === undefined)
    throw invalidOption("This request has no nonce, so that its answer cannot be signed.");
  return { statement, text: canonicalJson(statement) };
}

/** The part of a statement that is not in the request. */
export type StatementParts = Pick<ApprovalStatement, "verdict" | "approver" | "key" | "expiresAt">;

/** `undefined` for a request without a nonce. */
export async function statementOf(
  { id, sessionId, callId, origin, binding, nonce, lines, ...asked }: ApprovalRequest,
  { verdict, approver, key, expiresAt }: StatementParts,
): Promise<ApprovalStatement | undefined> {
  if (typeof nonce !== "string" || nonce === "") return undefined;
  const { askedBy, rules, needs, principal } = asked;
  const policy = await fingerprint(canonicalJson({ askedBy, rules, needs, principal }));
  const shown = await fingerprint(canonicalJson(lines));
  const { arguments: args, definition } = binding;
  return {
    ...{ request: id, session: sessionId, call: callId, origin },
    ...{ binding: { arguments: args, definition }, policy, shown, nonce },
    ...{ verdict, approver, key, expiresAt },
  };
}

/** Whether a kept approval was signed with this public key. Neither the session nor its list of approvers is needed. */
export async function verifyApproval(
  { statement, signature }: SignedApproval,
  publicKey: string,
): Promise<boolean> {
  const isNamed = (await sshKeyId(parseSshPublicKey(publicKey))) === statement?.key;
  const message = canonicalJson(statement);
  return (
    isNamed && (await verifySshSignature({ publicKey, namespace: APPROVAL_NAMESPACE, message, signature }))
  );
}
