import type { JournalEntry } from "../contract/event.ts";
import { JsonText } from "../contract/json-text.ts";
import { mapStrings } from "../redaction/map-strings.ts";
import type { Redactor } from "../redaction/redactor.ts";

/**
 * An event without secrets, wherever its text came from: what an observer failed with, the name of an approver, a name that a model
 * made up. What travels as JSON was redacted when that was made. So were the two events that every call has: their
 * ids are none that hold a secret (`admit`), and they are on the path of every call.
 */
export function redactEntry(entry: JournalEntry, redactor: Redactor): JournalEntry {
  if (entry.type === "call-start" || entry.type === "call-end") return entry;
  return mapStrings(entry, (text) => redactor.redact(text), isWritten) as JournalEntry;
}

const isWritten = (value: object) => value instanceof JsonText;
