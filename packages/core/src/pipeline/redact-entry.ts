import type { JournalEntry } from "../contract/event.ts";
import { JsonText } from "../contract/json-text.ts";
import type { Redactor } from "../redaction/redactor.ts";

/**
 * An event without secrets, wherever its text came from: what an observer failed with, the name of an approver, a name that a model
 * made up. What travels as JSON was redacted when that was made. So were the two events that every call has: their
 * ids are none that hold a secret (`admit`), and they are on the path of every call.
 */
export function redactEntry(entry: JournalEntry, redactor: Redactor): JournalEntry {
  if (entry.type === "call-start" || entry.type === "call-end") return entry;
  return redacted(entry, redactor) as JournalEntry;
}

function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (typeof value !== "object" || value === null || value instanceof JsonText) return value;
  if (Array.isArray(value)) return value.map((one) => redacted(one, redactor));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [redactor.redact(key), redacted(one, redactor)]),
  );
}
