import type { ApprovalAnswer, ApprovalRequest, SignedApproval } from "../../contract/approval.ts";
import { canonicalJson } from "../../contract/canonical-json.ts";
import { ToolkeepError } from "../../contract/error.ts";

const encoder = new TextEncoder();
/** A shorter one could be guessed. */
export const SHORTEST_SECRET = 32;

/**
 * Binds an answer to the request it is for and signs it, so that it can pass through processes that
 * must not be able to change it.
 * @throws ToolkeepError `invalid_option` for a secret that is too short.
 */
export async function signApproval(
  request: ApprovalRequest,
  answer: ApprovalAnswer,
  {
    secret,
    approver,
    expiresAt,
  }: { readonly secret: string; readonly approver: string; readonly expiresAt: number },
): Promise<SignedApproval> {
  const { id: requestId, sessionId, callId, origin, binding } = request;
  const deadline = Math.min(expiresAt, request.expiresAt ?? expiresAt);
  const open = { requestId, sessionId, callId, origin, binding, answer, approver, expiresAt: deadline };
  const bytes = await crypto.subtle.sign("HMAC", await keyOf(secret), textOf(open));
  return {
    ...open,
    signature: new Uint8Array(bytes).reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), ""),
  };
}

/** Why the approval does not count for the request, or `undefined` when it does. */
export async function signatureError(
  signed: SignedApproval,
  request: ApprovalRequest,
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<string | undefined> {
  const { signature, ...open } = signed;
  const bytes = bytesOf(signature);
  if (
    bytes === undefined ||
    !(await crypto.subtle.verify("HMAC", await keyOf(secret), bytes, textOf(open)))
  ) {
    return "its signature is invalid";
  }
  if (
    open.requestId !== request.id ||
    open.sessionId !== request.sessionId ||
    open.callId !== request.callId
  ) {
    return "it is for another request";
  }
  if (canonicalJson([open.origin, open.binding]) !== canonicalJson([request.origin, request.binding])) {
    return "the tool or the arguments have changed since";
  }
  return now > open.expiresAt ? "it has expired" : undefined;
}

function keyOf(secret: string) {
  if (secret.length < SHORTEST_SECRET) {
    throw new ToolkeepError(
      "invalid_option",
      `The secret that signs approvals needs at least ${SHORTEST_SECRET} characters.`,
    );
  }
  return crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

/** The order of fields does not matter: a carrier may have parsed and written it again. */
function textOf(open: Omit<SignedApproval, "signature">): Uint8Array<ArrayBuffer> {
  return encoder.encode(canonicalJson(open));
}

function bytesOf(hex: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof hex !== "string" || !/^(?:[0-9a-f]{2})+$/.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
