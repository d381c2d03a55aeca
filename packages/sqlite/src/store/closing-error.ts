import type { SqliteJournal } from "./sqlite-journal.ts";

/** A journal that cannot be written does not keep the others from being closed. */
export function errorOfClosing(journal: SqliteJournal): readonly unknown[] {
  try {
    journal.close();
    return [];
  } catch (error) {
    return [error];
  }
}
