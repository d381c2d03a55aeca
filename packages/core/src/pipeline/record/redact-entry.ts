import type { CallStart, JournalEntry } from "../../contract/store/event.ts";
import { JsonText } from "../../contract/values/json-text.ts";
import { mapStrings } from "../../redaction/map-strings.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactEffects, redactObserved } from "./redact-effects.ts";

/**
 * An event without secrets, wherever its text came from: what an observer failed with, the name of an approver, a name
 * that a model made up. What travels as JSON and what a person is asked was redacted when it was made, except for the
 * arguments of a call that starts. The ids of calls hold no secret (`admit`).
 */
export function redactEntry(entry: JournalEntry, redactor: Redactor): JournalEntry {
  if (entry.type === "call-start") return redactStart(entry, redactor);
  if (AS_THEY_ARE.has(entry.type)) return entry;
  return mapStrings(entry, (text) => redactor.redact(text), isWritten) as JournalEntry;
}

const AS_THEY_ARE: ReadonlySet<JournalEntry["type"]> = new Set([
  ...(["call-end", "turn-end", "model-reply", "approval-request"] as const),
]);

const isWritten = (value: object) => value instanceof JsonText;

function redactStart(start: CallStart, redactor: Redactor): CallStart {
  const { arguments: args, effects, allowedBy, ruleAt, observed } = start;
  return {
    ...start,
    arguments: new JsonText(redactor.redactJson(args.text)),
    effects: redactEffects(effects, redactor),
    allowedBy: redactor.redact(allowedBy),
    ...(ruleAt === undefined ? {} : { ruleAt: redactor.redact(ruleAt) }),
    ...(observed === undefined ? {} : { observed: redactObserved(observed, redactor) }),
  };
}
