import { REQUEST_TYPES } from "@toolkeep/core/journal";
import { byteaArray } from "../database/binary-array.ts";
import type { Statement } from "../database/database.ts";

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

const LISTS = 44;

export const COMMIT: Statement = {
  name: "commit",
  text: `SELECT id, news FROM @.commit(${Array.from({ length: LISTS }, (_, index) => `$${index + 1}`).join(",")})`,
};

/** The values of the statement for the writes of several sessions. */
export function commitValues(writes: readonly SessionWrite[]): readonly unknown[] {
  return [...sessionValues(writes), ...indexValues(writes), ...keptValues(writes)];
}

function sessionValues(writes: readonly SessionWrite[]): readonly unknown[] {
  const each = <Value>(pick: (write: SessionWrite) => Value) => writes.map(pick);
  return [
    each(({ session }) => session.id),
    each(({ epoch }) => epoch),
    each(({ firstSeq }) => firstSeq),
    each(({ nextSeq }) => nextSeq),
    each(({ previous }) => previous),
    each(({ head }) => head),
    each(({ lastTurn }) => lastTurn),
    each(({ calls }) => calls),
    each(({ openedAt }) => openedAt),
    each(({ activeAt }) => activeAt),
    each(({ isClosed }) => isClosed),
    each(({ isLast }) => isLast),
    each(({ session }) => session.period),
    each(({ turns }) => turns.join("\n")),
    byteaArray(each(({ bytes }) => bytes)),
  ];
}

function indexValues(writes: readonly SessionWrite[]): readonly unknown[] {
  const turns = inOrder(writes, ({ newTurns }) => newTurns);
  const sets = inOrder(writes, (write) => write.sets);
  const asks = inOrder(writes, (write) => write.asks);
  const drops = inOrder(writes, (write) => write.drops);
  return [
    turns.map(({ write }) => write.session.id),
    turns.map(({ item }) => item),
    turns.map(({ write }) => write.firstSeq),
    sets.map(({ write }) => write.session.id),
    sets.map(({ item }) => item.type),
    sets.map(({ item }) => item.key),
    sets.map(({ item }) => item.seq),
    sets.map(({ item }) => item.firstSeq),
    sets.map(({ item }) => item.waiting?.join("\n") ?? null),
    asks.map(({ write }) => write.session.id),
    asks.map(({ item }) => item.key),
    asks.map(({ item }) => item.seq),
    asks.map(({ write }) => write.session.name),
    asks.map(({ item }) => item.id),
    asks.map(({ item }) => item.needs),
    asks.map(({ item }) => item.askedAt),
    asks.map(({ item }) => item.expiresAt),
    asks.map(({ item }) => item.request),
    drops.map(({ write }) => write.session.id),
    drops.map(({ item }) => item.type),
    drops.map(({ item }) => item.key),
    drops.map(({ write }) => write.session.name),
  ];
}

function keptValues(writes: readonly SessionWrite[]): readonly unknown[] {
  const puts = inOrder(writes, (write) => write.puts);
  const removes = inOrder(writes, (write) => write.removes);
  return [
    puts.map(({ write }) => write.session.id),
    puts.map(({ write }) => write.session.name),
    puts.map(({ item }) => item.key),
    puts.map(({ item }) => item.keyId),
    byteaArray(puts.map(({ item }) => item.bytes)),
    removes.map(({ write }) => write.session.id),
    removes.map(({ item }) => item),
  ];
}

function inOrder<Item>(writes: readonly SessionWrite[], pick: (write: SessionWrite) => readonly Item[]) {
  return writes.flatMap((write) => pick(write).map((item) => ({ write, item })));
}
