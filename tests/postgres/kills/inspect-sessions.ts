import type { PostgresStore } from "@toolkeep/postgres";
import { KINDS, type Kind, keysAt, marksIn } from "./marks.ts";

type Keys = Readonly<Record<Kind, readonly string[]>>;

/** What is there of sessions after a campaign. */
export interface SessionsRecord {
  /** Calls that are not settled, or settled with success and without an effect. */
  readonly lost: readonly string[];
  /** Calls whose effect happened more than once. */
  readonly twice: Keys;
  /** Calls whose outcome is not known. */
  readonly unknown: Keys;
  /** Of these, those that had not announced their effect. */
  readonly unannounced: readonly string[];
  readonly broken: readonly string[];
  /** Unfinished turns, sessions in use, raw arguments and entries of inboxes. */
  readonly leftOver: number;
}

interface Inspected {
  readonly names: readonly string[];
  readonly turns: number;
  /** Where the marks are. */
  readonly path: string;
}

/** Compares the record of sessions with the marks that their tools left. */
export async function inspectSessions(
  store: PostgresStore,
  { names, turns, path }: Inspected,
): Promise<SessionsRecord> {
  const marks = marksIn(path);
  const effects = keysAt(marks, "effect");
  const [happened, announced] = [new Set(effects), new Set(keysAt(marks, "acting"))];
  const [lost, broken, unknown] = [[] as string[], [] as string[], [] as string[]];
  for (const name of names) {
    const verdict = await store.verify(name);
    if (!verdict.intact) broken.push(`${name}: ${verdict.diagnostic}`);
    const settled = await settledCalls(store, name);
    for (const [key, { isUnknown }] of settled) if (isUnknown) unknown.push(key);
    for (const key of keysOf(name, turns)) {
      const isOk = settled.get(key)?.isOk;
      if (isOk === undefined || (isOk && !happened.has(key))) lost.push(key);
    }
  }
  const { sessionsInUse, unfinishedTurns, pendingArguments, untaken } = await store.status();
  const pending = Object.values(pendingArguments).reduce((sum, one) => sum + one, 0);
  const unknownByKind = byKind(unknown);
  return {
    ...{ lost, broken, unknown: unknownByKind, twice: byKind(repeated(effects)) },
    unannounced: unknownByKind.announced.filter((key) => !announced.has(key)),
    leftOver: sessionsInUse + unfinishedTurns + pending + untaken,
  };
}

interface Settled {
  readonly isOk: boolean;
  readonly isUnknown: boolean;
}

async function settledCalls(store: PostgresStore, name: string): Promise<ReadonlyMap<string, Settled>> {
  const settled = new Map<string, Settled>();
  for await (const event of store.events(name, { types: ["call-end", "call-refuse"] })) {
    if (event.type !== "call-end" && event.type !== "call-refuse") continue;
    settled.set(`${name}/${event.turn}/${event.callId}`, {
      isOk: event.type === "call-end" && event.ok,
      isUnknown: JSON.stringify(event).includes("outcome_unknown"),
    });
  }
  return settled;
}

function keysOf(name: string, turns: number): readonly string[] {
  return Array.from({ length: turns }, (_, index) =>
    KINDS.map((kind) => `${name}/${kind}-${index + 1}/${kind}`),
  ).flat();
}

function repeated(keys: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(keys.filter((key) => seen.size === seen.add(key).size))];
}

function byKind(keys: readonly string[]): Keys {
  const of = (kind: Kind) => keys.filter((key) => key.endsWith(`/${kind}`));
  return { plain: of("plain"), announced: of("announced"), recovered: of("recovered"), often: of("often") };
}
