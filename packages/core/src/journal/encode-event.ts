import type { CanonicalEffect } from "../contract/call.ts";
import type { CallStart, JournalEntry, JournalEvent } from "../contract/event.ts";
import { JsonText } from "../contract/json-text.ts";
import { originName } from "../contract/origin.ts";
import type { ToolResult } from "../contract/result.ts";
import { timeText } from "../contract/time-text.ts";

/** Fields that travel as JSON already and are embedded as they are. */
const EMBEDDED = ["arguments", "result", "value"] as const;

/**
 * One event as one line of JSON. The names of turns and capabilities need no escaping. The two events that every call has are put together by hand:
 * their parts are JSON already, and this is on the path of every call.
 */
export function encodeEvent(seq: number, at: number, turn: string, entry: JournalEntry): string {
  const stamp = `{"seq":${seq},"at":${timeText(at)},"turn":"${turn}","type":"${entry.type}",`;
  if (entry.type === "call-end") return `${stamp}"result":${entry.result.text}}`;
  if (entry.type === "call-start") return stamp + encodeStart(entry);
  const { type: _type, ...fields } = entry;
  const body = JSON.stringify(fields);
  return body === "{}" ? `${stamp.slice(0, -1)}}` : stamp + body.slice(1);
}

/** @throws SyntaxError when the line is not one of ours. */
export function decodeEvent(line: string): JournalEvent {
  const fields = JSON.parse(line) as Record<string, unknown>;
  if (fields["type"] === "call-end") Object.assign(fields, subjectOf(fields["result"] as ToolResult));
  for (const field of EMBEDDED) {
    if (field in fields) fields[field] = JsonText.of(fields[field]);
  }
  return fields as unknown as JournalEvent;
}

function encodeStart({
  callId,
  tool,
  origin,
  inEvent,
  arguments: args,
  effects,
  allowedBy,
}: CallStart): string {
  const subject = inEvent ?? `"tool":${quote(tool)},"origin":${quote(origin)}`;
  return `"callId":${quote(callId)},${subject},"allowedBy":${quote(allowedBy)},"effects":${encodeEffects(effects)},"arguments":${args.text}}`;
}

function subjectOf({ callId, toolName, origin, ok }: ToolResult): object {
  return { callId, tool: toolName, origin: origin === undefined ? "unknown" : originName(origin), ok };
}

function encodeEffects(effects: readonly CanonicalEffect[]): string {
  let out = "[";
  for (let index = 0; index < effects.length; index += 1) {
    const { capability, target, known } = effects[index] as CanonicalEffect;
    out += `${index === 0 ? "" : ","}{"capability":"${capability}","target":${quote(target)},"known":"${known}"}`;
  }
  return `${out}]`;
}

/** A text as JSON. Most of what is quoted here is short and needs no escaping; a look at each character is cheaper than the general way. */
function quote(text: string): string {
  if (text.length > 64) return JSON.stringify(text);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 32 || code > 126 || code === 34 || code === 92) return JSON.stringify(text);
  }
  return `"${text}"`;
}
