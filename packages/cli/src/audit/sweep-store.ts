import { statSync } from "node:fs";
import { join } from "node:path";
import { writeOwnedFile } from "@toolkeep/node/internal";
import type { Store } from "@toolkeep/sqlite";
import type { AuditSettings } from "./audit-settings.ts";
import { isHeld } from "./held-sessions.ts";

const DAY_MS = 86_400_000;

/** The most sessions that are removed on the way to something else. */
const MOST_AT_ONCE = 50;

/** Removes the sessions that are older than `journal.keepDays`, but for those that are held. Returns their ids. */
export async function sweepStore(
  store: Store,
  { keepDays, hold }: Pick<AuditSettings, "keepDays" | "hold">,
  limit?: number,
): Promise<readonly string[]> {
  if (keepDays === undefined) return [];
  return store.sweep({
    olderThanMs: keepDays * DAY_MS,
    isKept: (sessionId) => isHeld(store, sessionId, hold),
    ...(limit === undefined ? {} : { limit }),
  });
}

/** The same at most once a day, for a store that is opened for something else. */
export async function sweepDaily(store: Store, settings: AuditSettings): Promise<void> {
  if (settings.keepDays === undefined) return;
  const note = join(store.path, "swept");
  const sweptAt = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - sweptAt < DAY_MS) return;
  await writeOwnedFile(note, `${new Date().toISOString()}\n`);
  await sweepStore(store, settings, MOST_AT_ONCE);
}
