import type { ToolResult, Truncation } from "../../../contract/call/result.ts";
import type { BoundedContent } from "../../../results/bound-content.ts";
import { type BoundedData, type boundData, TOO_LARGE } from "../../../results/bound-data.ts";
import { placeOf } from "../../../results/collect-output.ts";
import { failedResult, failure, type Spent } from "../../../results/runtime-failure.ts";
import type { RunningCall } from "../../turn/running-call.ts";
import { isStillValid } from "./check-output.ts";

/** What a value became: cut within its type, or impossible to cut; `undefined` if it fits. */
export type Bounded = ReturnType<typeof boundData>;

/** The largest output of a call. */
export function limitOf(running: RunningCall): { readonly bytes: number; readonly entries: number } {
  const { maxOutput } = running.call.found.tool;
  const { maxOutputBytes, maxOutputEntries } = running.turn.runtime.limits;
  return { bytes: maxOutput?.bytes ?? maxOutputBytes, entries: maxOutput?.entries ?? maxOutputEntries };
}

/** Too large to show: what fits stays, of the same type, and the whole goes to the sidecar. */
export async function cutData(
  base: ToolResult,
  bounded: BoundedData | typeof TOO_LARGE,
  running: RunningCall,
): Promise<ToolResult> {
  const { data } = base;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const place = await keep(text, typeof data === "string" ? "text/plain" : "application/json", running);
  if (bounded === TOO_LARGE || !(await isStillValid(running.call, bounded.head)))
    return tooLarge(base, { text, place }, running);
  const { head, unit, kept, lost, leftOut } = bounded;
  const truncation: Truncation = {
    ...{ by: "runtime", unit, kept, lost },
    ...place,
    ...(leftOut === undefined ? {} : { leftOut }),
  };
  return { ...base, data: head, truncation };
}

/** Content that is too large is cut between its blocks; the data stays, unless it is too large as well. */
export async function cutContent(
  base: ToolResult,
  { content, kept, lost }: BoundedContent,
  bounded: Bounded,
  running: RunningCall,
): Promise<ToolResult> {
  const text = running.turn.runtime.redactor.redactJson(JSON.stringify(base.content));
  const place = await keep(text, "application/json", running);
  const truncation: Truncation = { by: "runtime", unit: "bytes", kept, lost, ...place };
  const { data: _data, ...shown } = base;
  const data = bounded === undefined ? base.data : bounded === TOO_LARGE ? undefined : bounded.head;
  return { ...shown, ...(data === undefined ? {} : { data }), content, truncation };
}

/** The tool ran, and what it gave cannot be shown: a part of it would not be what the tool promises. */
function tooLarge(
  { callId, toolName, origin, labels, attempts, startedAt, durationMs }: ToolResult,
  { text, place }: { readonly text: string; readonly place: Place },
  running: RunningCall,
): ToolResult {
  const call = { id: callId, toolName, ...(origin === undefined ? {} : { origin }) };
  const bytes = new TextEncoder().encode(text).length;
  const message = `${toolName} ran, and its output of ${bytes} bytes is larger than the ${limitOf(running).bytes} bytes that a result can have. It cannot be cut without leaving out fields.`;
  const spent: Spent = { attempts, startedAt, durationMs };
  const result = failedResult(call, failure("too_large", message, "Ask for less at a time."), spent);
  const truncation: Truncation = { by: "runtime", unit: "bytes", kept: 0, lost: bytes, ...place };
  return { ...result, labels, truncation };
}

/** Where the whole output is; empty if it could not be kept. */
type Place = Pick<Truncation, "path" | "whole">;

/** The result does not fail because its sidecar did; that the rest is lost is said in the truncation. */
async function keep(text: string, mediaType: string, running: RunningCall): Promise<Place> {
  try {
    const file = await running.turn.runtime.ports.sidecar.open(running.call.id, { mediaType });
    await file.write(new TextEncoder().encode(text));
    await file.close();
    return placeOf(file);
  } catch {
    return {};
  }
}
