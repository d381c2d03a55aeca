import {
  canonicalJson,
  type DatedKey,
  dateError,
  parseDatedKey,
  sshKeyId,
  verifySshSignature,
} from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import type { ApproverKeys } from "./bundle.ts";

/** One signature of an approver in a record. */
export interface ApprovalSignature {
  readonly sessionId: string;
  readonly requestId: string;
  readonly approver: string;
  readonly key: string;
  readonly verdict: string;
  /** When it was recorded. */
  readonly at: string;
  /** When the key ends, or ended. */
  readonly validUntil?: string;
  /** It is of that approver's key, for this request, and was recorded while the key was valid. */
  readonly isValid: boolean;
  /** Why it is not valid. */
  readonly error?: string;
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
  const found = { sessionId, requestId, approver, key, verdict, at: new Date(event.at).toISOString() };
  const owned = await keyOf(Object.hasOwn(keys, approver) ? (keys[approver] ?? []) : [], key);
  if (owned === undefined) return { ...found, isValid: false, error: noKey(key, approver) };
  const { line: publicKey, until } = owned;
  const dated = until === undefined ? found : { ...found, validUntil: new Date(until).toISOString() };
  const message = canonicalJson(statement);
  const isOf = await verifySshSignature({ publicKey, namespace: NAMESPACE, message, signature });
  if (!isHere || !isOf) return { ...dated, isValid: false, error: `it is not signed by ${approver}` };
  const undated = dateError(owned, event.at);
  if (undated === undefined) return { ...dated, isValid: true };
  return { ...dated, isValid: false, error: `it is of ${found.at}, and the key of ${approver} ${undated}` };
}

function noKey(key: string, approver: string): string {
  return `there is no key ${key} of ${approver}. Keep the keys of people who have left in \`approvers\`, with valid-before=DATE before them, and write the bundle again`;
}

async function keyOf(lines: readonly string[], id: string): Promise<DatedKey | undefined> {
  for (const line of lines) {
    const dated = parseDatedKey(line);
    if ((await sshKeyId(dated.key)) === id) return dated;
  }
  return undefined;
}
