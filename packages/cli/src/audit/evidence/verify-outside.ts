import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { visible } from "@toolkeep/core/internal";
import type { SessionForget } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";
import { STORE_RECORD } from "@toolkeep/sqlite/internal";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CheckpointHead, type KeptCheckpoint, readCheckpoints } from "./checkpoint.ts";
import { BundleChanged, type ReadBundle, readBundle } from "./read-bundle.ts";
import { readPublicKey, readText } from "./ssh-signing.ts";

export interface OutsideOptions {
  readonly file: string;
  /** The file with the public key that it must be signed with. */
  readonly key?: string | undefined;
}

const NO_KEY = "Signatures were not verified: give --key with the public key that they must be of.";

/** Compares the store with the checkpoints of a file. Returns the sessions that were changed since. */
export async function verifyCheckpoints(
  store: SqliteStore,
  { file, key }: OutsideOptions,
  terminal: Terminal,
): Promise<readonly ComparedSession[]> {
  const publicKey = key === undefined ? undefined : await readPublicKey(resolve(terminal.cwd, key));
  const checkpoints = await readCheckpoints(await readText(resolve(terminal.cwd, file)), publicKey);
  if (publicKey === undefined) terminal.note(NO_KEY);
  return compareCheckpoints(store, checkpoints);
}

/** A session for people. */
export function comparedLine({ sessionId, state, diagnostic }: ComparedSession): string {
  const why = diagnostic === undefined ? "" : `: ${diagnostic}`;
  return `${visible(sessionId)}  ${state === "changed" ? "CHANGED since the checkpoint" : state}${visible(why)}`;
}

/** Verifies a bundle, without any store. */
export async function verifyBundle({ file, key }: OutsideOptions, terminal: Terminal): Promise<number> {
  const publicKey = key === undefined ? undefined : await readPublicKey(resolve(terminal.cwd, key));
  const bytes = await readFile(resolve(terminal.cwd, file)).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}.`);
  });
  try {
    show(await readBundle(bytes, publicKey), terminal);
    if (publicKey === undefined) terminal.note(NO_KEY);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof BundleChanged)) throw error;
    terminal.show({ intact: false, diagnostic: error.message }, [`CHANGED: ${visible(error.message)}`]);
    return EXIT.failure;
  }
}

function show({ manifest, isSigned, sessions, approvals }: ReadBundle, terminal: Terminal): void {
  const { at, program } = manifest;
  const records = sessions.map(({ id, seq, hash, erased }) => ({
    sessionId: id,
    events: seq,
    head: hash,
    erased,
  }));
  terminal.show({ ...{ intact: true, at, program, isSigned, sessions: records, approvals } }, [
    `intact, of ${at} by ${visible(program.name)} ${visible(program.version)}${isSigned ? ", signed" : ""}`,
    ...records.map(
      ({ sessionId, events, head, erased }) =>
        `${visible(sessionId)}  ${events} events${erased > 0 ? `, ${erased} erased` : ""}, head ${head}`,
    ),
    // A signature is recorded when it comes, and again with the answer that it makes whole.
    ...new Set(
      approvals.map(
        ({ sessionId, requestId, approver, verdict, validUntil }) =>
          `${visible(sessionId)}  ${visible(requestId)}: ${verdict} signed by ${visible(approver)}${validUntil === undefined ? "" : `, whose key is valid until ${validUntil}`}`,
      ),
    ),
  ]);
}

/** What became of a session since a checkpoint. */
export interface ComparedSession {
  readonly sessionId: string;
  /** `removed`: by the store, which says so in its own record. */
  readonly state: "as it was" | "continued" | "removed" | "changed";
  readonly diagnostic?: string;
}

/** Compares each session with all checkpoints: a later one may have been made of a record that had been replaced. */
export async function compareCheckpoints(
  store: Pick<SqliteStore, "heads" | "headAt" | "events">,
  checkpoints: readonly KeptCheckpoint[],
): Promise<readonly ComparedSession[]> {
  const known = new Map<string, CheckpointHead[]>();
  for (const { checkpoint } of checkpoints)
    for (const head of checkpoint.sessions) known.set(head.id, [...(known.get(head.id) ?? []), head]);
  const now = new Map(store.heads().map((head) => [head.sessionId, head]));
  const removed = now.has(STORE_RECORD) ? await removedIn(store) : new Map<string, SessionForget>();
  const compared: ComparedSession[] = [];
  for (const heads of known.values()) {
    const states = heads.map((head) => {
      const found = now.get(head.id);
      // A session that was removed is named by the hash of its id.
      if (found === undefined) return missing(head, removed.get(hash("sha256", head.id)), store);
      return existing(head, found.nextSeq, store);
    });
    const one = states.find(({ state }) => state === "changed") ?? states.at(-1);
    if (one !== undefined) compared.push(one);
  }
  return compared;
}

function existing(
  { id, seq, hash }: CheckpointHead,
  nextSeq: number,
  store: Pick<SqliteStore, "headAt">,
): ComparedSession {
  const change = (diagnostic: string) => ({ sessionId: id, state: "changed", diagnostic }) as const;
  if (nextSeq < seq) return change(`its last ${seq - nextSeq} events are missing`);
  if (store.headAt(id, seq) !== hash)
    return change(`its events before ${seq} are not those of the checkpoint`);
  return { sessionId: id, state: nextSeq === seq ? "as it was" : "continued" };
}

function missing(
  { id, seq, hash }: CheckpointHead,
  forgotten: SessionForget | undefined,
  store: Pick<SqliteStore, "heads" | "headAt">,
): ComparedSession {
  if (forgotten !== undefined) {
    const isSame = forgotten.nextSeq > seq || (forgotten.nextSeq === seq && forgotten.head === hash);
    if (isSame) return { sessionId: id, state: "removed", diagnostic: forgotten.why };
  }
  const other = store.heads().find(({ sessionId }) => store.headAt(sessionId, seq) === hash);
  const diagnostic = other === undefined ? "it is missing" : `it has another name: ${other.sessionId}`;
  return { sessionId: id, state: "changed", diagnostic };
}

async function removedIn(store: Pick<SqliteStore, "events">): Promise<ReadonlyMap<string, SessionForget>> {
  const removed = new Map<string, SessionForget>();
  for await (const event of store.events(STORE_RECORD, { types: ["session-forget"] }))
    if (event.type === "session-forget") removed.set(event.session, event);
  return removed;
}
