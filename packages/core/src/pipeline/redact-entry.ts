import type { JournalEntry } from "../contract/event.ts";
import { JsonText } from "../contract/json-text.ts";
import { mapStrings } from "../redaction/map-strings.ts";
import type { Redactor } from "../redaction/redactor.ts";

/**
 * An event without secrets, wherever its text came from: what an observer failed with, the name of an approver, a name that a model
 * made up. What travels as JSON was redacted when that was made. So were the two events that every call has: their
 * ids are none that hold a secret (`admit`), and they are on the path of every call. The others have no text besides.
 */
export function redactEntry(entry: JournalEntry, redactor: Redactor): JournalEntry {
  if (AS_THEY_ARE.has(entry.type)) return entry;
  return mapStrings(entry, (text) => redactor.redact(text), isWritten) as JournalEntry;
}

const AS_THEY_ARE: ReadonlySet<JournalEntry["type"]> = new Set([
  ...(["call-start", "call-end", "turn-end", "model-reply"] as const),
]);

const isWritten = (value: object) => value instanceof JsonText;
