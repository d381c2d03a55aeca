import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import type { SqliteStore } from "@toolkeep/sqlite";

/** How many events of each record were sent, by `recordKey`. */
export type ShipCursor = Readonly<Record<string, number>>;

/** The file for each store and each place. */
export async function cursorFile(
  store: Pick<SqliteStore, "path">,
  { to, format }: { readonly to: string; readonly format: string },
): Promise<string> {
  const folder = join(directories().state, "audit-cursors");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const of = JSON.stringify([store.path, to, format]);
  const name = createHash("sha256").update(of).digest("hex").slice(0, 32);
  return join(folder, `${name}.json`);
}

export async function readCursor(file: string): Promise<ShipCursor> {
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as ShipCursor) : {};
}

/** A session that was removed and begun again under the same id is another record. */
export function recordKey(sessionId: string, openedAt: number): string {
  return `${sessionId}:${openedAt}`;
}

/** Where every record ends, with its key. */
export function recordEnds(
  store: Pick<SqliteStore, "heads" | "sessions">,
): readonly { readonly sessionId: string; readonly key: string; readonly nextSeq: number }[] {
  const opened = new Map(store.sessions().map(({ sessionId, openedAt }) => [sessionId, openedAt]));
  return store.heads().map(({ sessionId, nextSeq }) => ({
    sessionId,
    nextSeq,
    key: recordKey(sessionId, opened.get(sessionId) ?? 0),
  }));
}

/** The sessions of which something was not sent to the configured place. A cursor that cannot be read says nothing. */
export async function unsentSessions(
  store: SqliteStore,
  place: { readonly to: string; readonly format: string },
): Promise<ReadonlySet<string>> {
  const sent = await readCursor(await cursorFile(store, place)).catch((): ShipCursor => ({}));
  const ends = recordEnds(store).filter(({ key, nextSeq }) => (sent[key] ?? 0) < nextSeq);
  return new Set(ends.map(({ sessionId }) => sessionId));
}
