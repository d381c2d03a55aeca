import type { JournalEntry } from "../contract/store/event.ts";
import type { Journal } from "../contract/store/store.ts";

/** Appends an entry that may have secrets in it, with what replaces them when it is read. */
export type AppendRaw = (
  seq: number,
  at: number,
  turn: string,
  entry: JournalEntry,
  redact: (entry: JournalEntry) => JournalEntry,
) => void;

/** Not a method: one that wraps a journal in memory would inherit it, and is to see every entry redacted. */
const appenders = new WeakMap<Journal, AppendRaw>();

/** For a journal that keeps entries in memory, and makes no text of them before they are read. */
export function setRawAppender(journal: Journal, append: AppendRaw): void {
  appenders.set(journal, append);
}

export function rawAppenderOf(journal: Journal): AppendRaw | undefined {
  return appenders.get(journal);
}
