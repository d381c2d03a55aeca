import { canonicalJson, parseSshPublicKey, sshKeyId, verifySshSignature } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { ApproverKeys } from "./bundle.ts";

/** One signature of an approver in a record. */
export interface ApprovalSignature {
  readonly sessionId: string;
  readonly requestId: string;
  readonly approver: string;
  readonly key: string;
  readonly verdict: string;
  /** It is of that approver's key, for this request. */
  readonly isValid: boolean;
}

interface Signed {
  readonly statement: {
    readonly request: string;
    readonly session: string;
    readonly approver: string;
    readonly key: string;
    readonly verdict: string;
  };
  readonly signature: string;
}

const NAMESPACE = "toolkeep-approval";

/** Verifies every signature in these sessions with the public keys alone. */
export async function approvalSignatures(
  sessions: readonly { readonly id: string; readonly events: readonly JournalEvent[] }[],
  keys: ApproverKeys,
): Promise<readonly ApprovalSignature[]> {
  const found: ApprovalSignature[] = [];
  for (const { id, events } of sessions)
    for (const event of events)
      for (const signed of signedIn(event)) found.push(await verified(id, event, signed, keys));
  return found;
}

/** What a record says is read as it is: it may be of another version. */
function signedIn(event: JournalEvent): readonly Signed[] {
  const { type, signed, answer } = event as unknown as {
    readonly type: string;
    readonly signed?: Signed;
    readonly answer?: { readonly signed?: readonly Signed[] };
  };
  if (type === "approval-sign") return signed === undefined ? [] : [signed];
  return type === "approval-answer" ? (answer?.signed ?? []) : [];
}

async function verified(
  sessionId: string,
  event: JournalEvent,
  { statement, signature }: Signed,
  keys: ApproverKeys,
): Promise<ApprovalSignature> {
  const { request: requestId, session, approver, key, verdict } = statement;
  const isHere = session === sessionId && "id" in event && requestId === `${event.turn}/${event.id}`;
  const message = canonicalJson(statement);
  let isValid = false;
  for (const publicKey of Object.hasOwn(keys, approver) ? (keys[approver] ?? []) : []) {
    if ((await sshKeyId(parseSshPublicKey(publicKey))) !== key) continue;
    isValid = isHere && (await verifySshSignature({ publicKey, namespace: NAMESPACE, message, signature }));
  }
  return { sessionId, requestId, approver, key, verdict, isValid };
}
