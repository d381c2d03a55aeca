import { hash as hashOf } from "node:crypto";
import {
  canonicalJson,
  type DatedKey,
  dateError,
  parseDatedKey,
  sshKeyId,
  unlessThrown,
  verifySshSignature,
} from "@toolkeep/core/internal";
import {
  batchError,
  CHAIN_START,
  chainAfter,
  decodeEvent,
  type JournalBatch,
  type JournalEvent,
  linesOf,
  type PayloadErase,
} from "@toolkeep/core/journal";
import {
  type ApproverKeys,
  BUNDLE_HEADING,
  type BundledBatch,
  type BundledHead,
  type BundleManifest,
} from "./bundle.ts";
import { isSignedBy } from "./ssh-signing.ts";

/** What was found in a bundle that is whole. */
export interface ReadBundle {
  readonly manifest: BundleManifest;
  readonly isSigned: boolean;
  readonly sessions: readonly BundledSession[];
  readonly approvals: readonly ApprovalSignature[];
}

interface BundledSession extends BundledHead {
  readonly events: readonly JournalEvent[];
  /** How many events have no payload any more. */
  readonly erased: number;
}

/** Why a bundle is not what was written. */
export class BundleChanged extends Error {}

/**
 * Verifies a bundle with nothing but its bytes and a public key: it is the text that was written, every session is a
 * whole chain that is its own, and the manifest has these sessions and, with a key, is signed with it. The signatures of
 * approvals are verified with the keys of the manifest.
 * @throws BundleChanged
 */
export async function readBundle(bytes: Uint8Array, key?: string): Promise<ReadBundle> {
  const lines = linesIn(bytes);
  const [heading, ...rest] = lines.slice(0, -1);
  if (canonicalJson(heading) !== canonicalJson(BUNDLE_HEADING))
    throw new BundleChanged("It is not a bundle.");
  const last = rest.pop() as { readonly manifest?: BundleManifest; readonly signature?: string } | undefined;
  if (last?.manifest === undefined) throw new BundleChanged("It has no manifest.");
  const { manifest, signature } = last;
  const text = canonicalJson(manifest);
  if (key !== undefined && (signature === undefined || !(await isSignedBy(key, text, signature))))
    throw new BundleChanged("It is not signed with the key.");
  const sessions = sessionsIn(rest);
  const heads = sessions.map(({ id, seq, hash, batches }) => ({ id, seq, hash, batches }));
  if (canonicalJson(heads) !== canonicalJson(manifest.sessions))
    throw new BundleChanged("Its sessions are not those of the manifest.");
  const approvals = await approvalSignatures(sessions, manifest.keys);
  const forged = approvals.find(({ isValid }) => !isValid);
  if (forged !== undefined)
    throw new BundleChanged(
      `The approval of ${forged.requestId} in ${forged.sessionId} is not valid: ${forged.error}.`,
    );
  return { manifest, isSigned: key !== undefined, sessions, approvals };
}

/** Every line is the one that we write, and the last one has the hash of all others. */
function linesIn(bytes: Uint8Array): readonly unknown[] {
  const lines = textOf(bytes).split("\n");
  if (lines.pop() !== "") throw new BundleChanged("Its end is missing.");
  const before = lines.slice(0, -1).map((line) => `${line}\n`);
  const sha256 = hashOf("sha256", before.join(""));
  if (lines.at(-1) !== canonicalJson({ sha256 })) throw new BundleChanged("Its bytes were changed.");
  return lines.map((line) => {
    const value = unlessThrown(() => JSON.parse(line) as unknown);
    if (value === undefined || canonicalJson(value) !== line)
      throw new BundleChanged("It has a line that is not ours.");
    return value;
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BundleChanged("Its bytes were changed.");
  }
}

function sessionsIn(lines: readonly unknown[]): readonly BundledSession[] {
  const sessions: { readonly id: string; readonly batches: BundledBatch[] }[] = [];
  for (const line of lines as readonly { readonly session?: string; readonly batch?: BundledBatch }[]) {
    if (line.session !== undefined) sessions.push({ id: line.session, batches: [] });
    else if (line.batch !== undefined && sessions.length > 0) sessions.at(-1)?.batches.push(line.batch);
    else throw new BundleChanged("It has a line that is not ours.");
  }
  return sessions.map(({ id, batches }) => sessionOf(id, batches));
}

function sessionOf(id: string, bundled: readonly BundledBatch[]): BundledSession {
  const batches = bundled.map(({ text, ...batch }) => ({ ...batch, bytes: new TextEncoder().encode(text) }));
  const erased = erasedIn(batches);
  const events: JournalEvent[] = [];
  let before = { previous: CHAIN_START, firstSeq: 0 };
  for (const batch of batches) {
    const error = bytesError(batch, erased) ?? batchError(batch, batch.hash, before);
    if (error !== undefined) throw new BundleChanged(`${id}, at event ${batch.firstSeq}: ${error}.`);
    events.push(...eventsIn(id, batch));
    before = chainAfter(batch);
  }
  const hidden = events.reduce((sum, one) => sum + (one.type === "payload-erase" ? one.events.length : 0), 0);
  return { id, seq: before.firstSeq, hash: before.previous, batches: batches.length, events, erased: hidden };
}

/** By the first event of the batch: what an event that was not changed says about it. */
function erasedIn(batches: readonly JournalBatch[]): ReadonlyMap<number, readonly PayloadErase[]> {
  const erased = new Map<number, readonly PayloadErase[]>();
  for (const batch of batches.filter(({ bytes, hash }) => hashOf("sha256", bytes) === hash))
    for (const line of linesOf(batch).lines) {
      const event = line.includes('"type":"payload-erase"') ? decodeEvent(line) : undefined;
      if (event?.type === "payload-erase")
        erased.set(event.firstSeq, [...(erased.get(event.firstSeq) ?? []), event]);
    }
  return erased;
}

function bytesError(
  batch: JournalBatch,
  erased: ReadonlyMap<number, readonly PayloadErase[]>,
): string | undefined {
  const found = hashOf("sha256", batch.bytes);
  const erasures = erased.get(batch.firstSeq) ?? [];
  // A process may have ended before the last one was made.
  const isErased = erasures.some((one) => one.hash === batch.hash && one.erased === found);
  return found === batch.hash || isErased ? undefined : "its bytes were changed";
}

function eventsIn(id: string, batch: JournalBatch): readonly JournalEvent[] {
  const { lines } = linesOf(batch);
  const events = lines.map((line) => decodeEvent(line));
  const isNumbered = events.every(({ seq }, index) => seq === batch.firstSeq + index);
  if (events.length !== batch.events || !isNumbered)
    throw new BundleChanged(`${id}, at event ${batch.firstSeq}: its events are not numbered in order.`);
  const foreign = events.find((event) => event.type === "session-open" && event.sessionId !== id);
  if (foreign !== undefined) throw new BundleChanged(`${id} is the record of another session.`);
  return events;
}

/** One signature of an approver in a record. */
interface ApprovalSignature {
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
async function approvalSignatures(
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
