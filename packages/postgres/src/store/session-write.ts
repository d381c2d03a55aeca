import { REQUEST_TYPES } from "@toolkeep/core/journal";
import { plainArray, textArray } from "../database/array-texts.ts";
import { byteaArray } from "../database/binary-array.ts";

/** What one session writes with one commit. */
export interface SessionWrite {
  readonly session: SessionIdentity;
  readonly epoch: string;
  readonly firstSeq: number;
  readonly nextSeq: number;
  /** The head that the database must have, and the one it has afterwards. */
  readonly previous: string;
  readonly head: string;
  readonly lastTurn: number;
  readonly calls: number;
  readonly openedAt: number;
  readonly activeAt: number;
  readonly isClosed: boolean | null;
  /** Whether the lease ends with it. */
  readonly isLast: boolean;
  readonly turns: readonly string[];
  readonly newTurns: readonly string[];
  readonly bytes: Uint8Array;
  readonly sets: readonly StandingRow[];
  readonly drops: readonly { readonly type: string; readonly key: string }[];
  readonly asks: readonly RequestRow[];
  readonly puts: readonly {
    readonly key: string;
    readonly keyId: string;
    readonly bytes: Uint8Array;
  }[];
  readonly removes: readonly string[];
}

/** Which row a session is. */
export interface SessionIdentity {
  readonly id: string;
  readonly name: string;
  readonly period: number;
}

/** A row of the index of standing events. */
export interface StandingRow {
  readonly type: string;
  readonly key: string;
  readonly seq: number;
  readonly firstSeq: number;
  /** The requests that a parked turn waits for. */
  readonly waiting: readonly string[] | undefined;
}

/** A request that waits for a person. */
export interface RequestRow {
  readonly key: string;
  readonly seq: number;
  readonly id: string;
  readonly needs: boolean;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  /** As JSON. */
  readonly request: string;
}

/** Whether a standing event is a request, which has a row of its own besides. */
export function isRequestType(type: string): boolean {
  return REQUEST_TYPES.some((one) => one === type);
}

const LISTS = 43;

const VALUES = Array.from({ length: LISTS }, (_, index) => `$${index + 1}`).join(",");

export const COMMIT = `SELECT @.assert_untouched(@.write(${VALUES})) AS told`;

/** Fails where a trigger or a rule may have kept the transaction from writing or removing something. */
export const UNTOUCHED = "SELECT @.assert_untouched('')";

/** What the statement tells: the sessions that moved, by their row, each with its count of news. */
export function movedIn(told: string): ReadonlyMap<string, string> {
  return new Map(told === "" ? [] : told.split(",").map((one) => one.split(" ") as [string, string]));
}

/** The values of the statement for the writes of several sessions. */
export function commitValues(writes: readonly SessionWrite[]): readonly unknown[] {
  return [...sessionValues(writes), ...indexValues(writes), ...keptValues(writes)];
}

function sessionValues(writes: readonly SessionWrite[]): readonly unknown[] {
  return [
    plainArray(writes.map(({ session }) => session.id)),
    plainArray(writes.map(({ epoch }) => epoch)),
    plainArray(writes.map(({ firstSeq }) => firstSeq)),
    plainArray(writes.map(({ nextSeq }) => nextSeq)),
    textArray(writes.map(({ previous }) => previous)),
    plainArray(writes.map(({ head }) => head)),
    plainArray(writes.map(({ lastTurn }) => lastTurn)),
    plainArray(writes.map(({ calls }) => calls)),
    plainArray(writes.map(({ openedAt }) => openedAt)),
    plainArray(writes.map(({ activeAt }) => activeAt)),
    plainArray(writes.map(({ isClosed }) => isClosed)),
    plainArray(writes.map(({ isLast }) => isLast)),
    textArray(writes.map(({ turns }) => turns.join("\n"))),
    byteaArray(writes.map(({ bytes }) => bytes)),
  ];
}

function indexValues(writes: readonly SessionWrite[]): readonly unknown[] {
  const turns = inOrder(writes, ({ newTurns }) => newTurns);
  const sets = inOrder(writes, (write) => write.sets);
  const asks = inOrder(writes, (write) => write.asks);
  const drops = inOrder(writes, (write) => write.drops);
  return [
    plainArray(turns.map(({ write }) => write.session.id)),
    textArray(turns.map(({ item }) => item)),
    plainArray(turns.map(({ write }) => write.firstSeq)),
    plainArray(sets.map(({ write }) => write.session.id)),
    textArray(sets.map(({ item }) => item.type)),
    textArray(sets.map(({ item }) => item.key)),
    plainArray(sets.map(({ item }) => item.seq)),
    plainArray(sets.map(({ item }) => item.firstSeq)),
    textArray(sets.map(({ item }) => item.waiting?.join("\n") ?? null)),
    plainArray(asks.map(({ write }) => write.session.id)),
    textArray(asks.map(({ item }) => item.key)),
    plainArray(asks.map(({ item }) => item.seq)),
    textArray(asks.map(({ write }) => write.session.name)),
    textArray(asks.map(({ item }) => item.id)),
    plainArray(asks.map(({ item }) => item.needs)),
    plainArray(asks.map(({ item }) => item.askedAt)),
    plainArray(asks.map(({ item }) => item.expiresAt)),
    textArray(asks.map(({ item }) => item.request)),
    plainArray(drops.map(({ write }) => write.session.id)),
    textArray(drops.map(({ item }) => item.type)),
    textArray(drops.map(({ item }) => item.key)),
    textArray(drops.map(({ write }) => write.session.name)),
  ];
}

function keptValues(writes: readonly SessionWrite[]): readonly unknown[] {
  const puts = inOrder(writes, (write) => write.puts);
  const removes = inOrder(writes, (write) => write.removes);
  return [
    plainArray(puts.map(({ write }) => write.session.id)),
    textArray(puts.map(({ write }) => write.session.name)),
    textArray(puts.map(({ item }) => item.key)),
    textArray(puts.map(({ item }) => item.keyId)),
    byteaArray(puts.map(({ item }) => item.bytes)),
    plainArray(removes.map(({ write }) => write.session.id)),
    textArray(removes.map(({ item }) => item)),
  ];
}

interface Part<Item> {
  readonly write: SessionWrite;
  readonly item: Item;
}

function inOrder<Item>(
  writes: readonly SessionWrite[],
  pick: (write: SessionWrite) => readonly Item[],
): readonly Part<Item>[] {
  const parts: Part<Item>[] = [];
  for (const write of writes) for (const item of pick(write)) parts.push({ write, item });
  return parts;
}
