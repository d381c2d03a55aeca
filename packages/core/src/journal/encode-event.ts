import type { CanonicalEffect } from "../contract/call.ts";
import type { Effect, EffectBasis } from "../contract/effect.ts";
import type { CallStart, JournalEntry, JournalEvent } from "../contract/event.ts";
import { JsonText, type TextSink } from "../contract/json-text.ts";
import { originName } from "../contract/origin.ts";
import { quotedText, timeText } from "../contract/repeated-text.ts";
import type { ToolResult } from "../contract/result.ts";

/** Fields that travel as JSON already and are embedded as they are. */
const EMBEDDED = ["arguments", "result", "value"] as const;

/**
 * Writes one event as one line of JSON. The names of turns and capabilities need no escaping. The
 * two events that every call has are written from as few pieces as can be: their parts are JSON
 * already, and this is on the path of every call.
 */
export function writeEvent(sink: TextSink, seq: number, at: number, turn: string, entry: JournalEntry): void {
  sink.add('{"seq":');
  sink.add(String(seq));
  sink.add(stampText(at, turn));
  if (entry.type === "call-end") {
    sink.add('call-end",');
    entry.result.writeFields(sink);
    sink.add("\n");
  } else if (entry.type === "call-start") writeStart(sink, entry);
  else {
    const { type, ...fields } = entry;
    const body = JSON.stringify(fields).slice(1);
    sink.add(`${type}"${body === "}" ? "" : ","}${body}\n`);
  }
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

/** The same as a text. */
export function encodeEvent(seq: number, at: number, turn: string, entry: JournalEntry): string {
  const pieces: string[] = [];
  writeEvent({ add: (piece) => void pieces.push(piece) }, seq, at, turn, entry);
  return pieces.join("").trimEnd();
}

/**
 * Reads an event back from a line that `encodeEvent` wrote.
 * @throws SyntaxError when the line is not one of ours.
 */
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

function writeStart(sink: TextSink, start: CallStart): void {
  const { callId, tool, origin, inEvent, arguments: args, effects, allowedBy } = start;
  const { taint, observed } = start;
  sink.add('call-start","callId":');
  sink.add(quotedText(callId));
  sink.add(inEvent ?? `,"tool":${JSON.stringify(tool)},"origin":${JSON.stringify(origin)},"allowedBy":`);
  sink.add(JSON.stringify(allowedBy));
  sink.add(',"effects":[');
  for (let index = 0; index < effects.length; index += 1) {
    const { capability, target, known, forced, implied } = effects[index] as CanonicalEffect;
    sink.add(index === 0 ? '{"capability":"' : ',{"capability":"');
    sink.add(capability);
    sink.add('","target":');
    sink.add(JSON.stringify(target));
    if (forced) sink.add(',"forced":true');
    if (implied) sink.add(',"implied":true');
    sink.add(KNOWN[known]);
  }
  sink.add("]");
  if (taint !== undefined) sink.add(`,"taint":${JSON.stringify(taint)}`);
  if (observed !== undefined) sink.add(`,"observed":${JSON.stringify(observed)}`);
  sink.add(',"arguments":');
  sink.add(args.text);
  sink.add("}\n");
}

const KNOWN: Readonly<Record<EffectBasis, string>> = {
  declared: "}",
  inferred: ',"known":"inferred"}',
  enforced: ',"known":"enforced"}',
};
