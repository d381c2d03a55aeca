import type { Effect, EffectBasis } from "../contract/call/effect.ts";
import type { ToolResult } from "../contract/call/result.ts";
import type { CanonicalEffect } from "../contract/policy/policy-call.ts";
import type { CallStart, JournalEntry, JournalEvent } from "../contract/store/event.ts";
import { JsonText, quotedText, timeText } from "../contract/values/json-text.ts";
import { originName } from "../contract/values/origin.ts";

/** Fields that travel as JSON already and are embedded as they are. */
const EMBEDDED = ["arguments", "result", "value"] as const;

/**
 * One event as one line of JSON, with its line end. The names of turns and capabilities need no escaping. The two
 * events that every call has are put together from texts that are JSON already.
 */
export function eventLine(seq: number, at: number, turn: string, entry: JournalEntry): string {
  const stamp = stampText(at, turn);
  if (entry.type === "call-end") return `{"seq":${seq}${stamp}call-end",${entry.result.fields}\n`;
  if (entry.type === "call-start") return `{"seq":${seq}${stamp}call-start",${startFields(entry)}\n`;
  if (entry.type === "model-reply") return `{"seq":${seq}${stamp}model-reply",${replyFields(entry)}\n`;
  const { type, ...fields } = entry;
  const body = JSON.stringify(fields).slice(1);
  return `{"seq":${seq}${stamp}${type}"${body === "}" ? "" : ","}${body}\n`;
}

let lastAt = 0;
let lastTurn = "";
let lastStamp = "";

/** Events of one call often have the same stamp. */
function stampText(at: number, turn: string): string {
  if (at !== lastAt || turn !== lastTurn) {
    lastAt = at;
    lastTurn = turn;
    lastStamp = `,"at":${timeText(at)},"turn":"${turn}","type":"`;
  }
  return lastStamp;
}

/** The same without its line end. */
export function encodeEvent(seq: number, at: number, turn: string, entry: JournalEntry): string {
  return eventLine(seq, at, turn, entry).slice(0, -1);
}

/** Reads an event back from a line that `encodeEvent` wrote. @throws SyntaxError when the line is not one of ours. */
export function decodeEvent(line: string): JournalEvent {
  const fields = JSON.parse(line) as Record<string, unknown>;
  if (fields["type"] === "call-end") return decodeEnd(fields) as unknown as JournalEvent;
  if (fields["type"] === "call-start") fields["effects"] = (fields["effects"] as Effect[]).map(withBasis);
  for (const field of EMBEDDED) {
    if (field in fields) fields[field] = JsonText.of(fields[field]);
  }
  return fields as unknown as JournalEvent;
}

/** The line of a call's end is its result with a stamp before it; what goes without saying is left out. */
function decodeEnd({ seq, at, turn, type, ...written }: Record<string, unknown>): object {
  const startedAt = Number(at) - Number(written["durationMs"]);
  const result = { labels: ["untrusted"], attempts: 1, startedAt, ...written } as unknown as ToolResult;
  const { callId, toolName, origin, ok } = result;
  const from = origin === undefined ? "unknown" : originName(origin);
  return { seq, at, turn, type, callId, tool: toolName, origin: from, ok, result: JsonText.of(result) };
}

function withBasis(effect: Effect): Effect {
  return { ...effect, known: effect.known ?? "declared" };
}

/** Everything after the type. */
function startFields(start: CallStart): string {
  const {
    callId,
    tool,
    origin,
    inEvent,
    arguments: args,
    effects,
    allowedBy,
    ruleAt,
    taint,
    facts,
    observed,
    shadow,
    digest,
  } = start;
  const from = inEvent ?? `,"tool":${JSON.stringify(tool)},"origin":${JSON.stringify(origin)},"allowedBy":`;
  const written = ruleAt === undefined ? "" : `,"ruleAt":${JSON.stringify(ruleAt)}`;
  const tainted = taint === undefined ? "" : `,"taint":${JSON.stringify(taint)}`;
  const known = facts === undefined ? "" : `,"facts":${JSON.stringify(facts)}`;
  const seen = observed === undefined ? "" : `,"observed":${JSON.stringify(observed)}`;
  const tried = shadow === undefined ? "" : `,"shadow":${JSON.stringify(shadow)}`;
  const bound = digest === undefined ? "" : `,"digest":${JSON.stringify(digest)}`;
  const list = effects.map(effectText).join(",");
  return `"callId":${quotedText(callId)}${from}${JSON.stringify(allowedBy)}${written},"effects":[${list}]${tainted}${known}${seen}${tried}${bound},"arguments":${args.text}}`;
}

/** A reply is long, and its text is JSON already: it is neither parsed nor written a second time. */
function replyFields({ step, value }: JournalEntry & { readonly type: "model-reply" }): string {
  return `"step":${step},"value":${value.text}}`;
}

function effectText({ capability, target, known, forced, implied, visible }: CanonicalEffect): string {
  const flags = `${forced ? ',"forced":true' : ""}${implied ? ',"implied":true' : ""}${visible ? ',"visible":true' : ""}`;
  return `{"capability":"${capability}","target":${JSON.stringify(target)}${flags}${KNOWN[known]}`;
}

const KNOWN: Readonly<Record<EffectBasis, string>> = {
  declared: "}",
  inferred: ',"known":"inferred"}',
  enforced: ',"known":"enforced"}',
};
