import {
  isToolOutput,
  type Label,
  type OutputFields,
  ToolFailure,
  type ToolResult,
} from "../../contract/call/result.ts";
import { READS_OUTPUTS } from "../../contract/tool/tool.ts";
import { isRecord } from "../../contract/values/is-record.ts";
import { type JsonSource, JsonText } from "../../contract/values/json-text.ts";
import { boundContent } from "../../results/bound-content.ts";
import { boundData, TOO_LARGE } from "../../results/bound-data.ts";
import type { OutputCollector } from "../../results/collect-output.ts";
import { PlainResult } from "../../results/plain-result.ts";
import { FAILURE_MESSAGES, failedResult, failure, type Spent } from "../../results/runtime-failure.ts";
import { reportCrash } from "../turn/report-crash.ts";
import type { Attempted, RunningCall } from "../turn/running-call.ts";
import { encoded } from "../turn/shown-value.ts";
import type { Awaitable } from "../turn/stage.ts";
import { cutContent, cutData, limitOf } from "./execution/bounded-result.ts";

/** A result with its JSON: redacted, bounded, final. */
export interface SettledResult {
  readonly result: ToolResult;
  readonly json: JsonSource;
}

const UNTRUSTED: readonly Label[] = Object.freeze(["untrusted"]);

/** Makes the one record of what a call gave: redacted, marked untrusted, bounded. */
export function settle(
  ended: Exclude<Attempted, { kind: "parked" }>,
  running: RunningCall,
  attempts: number,
  collector: OutputCollector | undefined,
): Awaitable<SettledResult> {
  const spent: Spent = { attempts, startedAt: running.startedAt, durationMs: running.durationMs };
  if (collector !== undefined) return withOutput(ended, running, spent, collector);
  if (ended.kind === "threw") return redactedResult(running, thrown(ended.error, running, spent));
  if (ended.kind === "stopped") return redactedResult(running, stopped(ended, running, spent));
  const { value } = ended;
  return isToolOutput(value) ? fromFields(value, running, spent) : fromData(value, running, spent);
}

/** Plain data, which most tools return. */
function fromData(value: unknown, running: RunningCall, spent: Spent): Awaitable<SettledResult> {
  const read = readData(value, running);
  if (read.text === undefined)
    return read.isJson ? fromFields({}, running, spent) : redactedResult(running, notJson(running, spent));
  const { id: callId, found } = running.call;
  const { attempts, startedAt, durationMs } = spent;
  const { data, text } = read;
  const result: ToolResult = {
    callId,
    toolName: found.name,
    origin: found.origin,
    ok: true,
    data,
    labels: labelsOf(running),
    attempts,
    startedAt,
    durationMs,
  };
  const bounded = boundData(data, text, limitOf(running));
  if (bounded !== undefined)
    return cutData(result, bounded, running).then((cut) => redactedResult(running, cut));
  // A plain result is written without its labels.
  if (found.tool.labels !== undefined) return redactedResult(running, result);
  return { result, json: new PlainResult(result, found, text) };
}

function fromFields(fields: OutputFields, running: RunningCall, spent: Spent): Awaitable<SettledResult> {
  const { data, text, isJson } = readData(fields.data, running);
  if (!isJson) return redactedResult(running, notJson(running, spent));
  const result = resultOf(fields, data, running, spent);
  const shown =
    fields.content === undefined ? undefined : boundContent(fields.content, limitOf(running).bytes);
  const bounded = text === undefined ? undefined : boundData(data, text, limitOf(running));
  if (shown === undefined && bounded === undefined) return redactedResult(running, result);
  const cutting =
    shown === undefined
      ? cutData(result, bounded as NonNullable<typeof bounded>, running)
      : cutContent(result, shown, bounded, running);
  return cutting.then((cut) => redactedResult(running, cut));
}

/** What a tool may say of its result; what is not here is the runtime's to say. */
const SAYABLE = [
  "content",
  "details",
  "childId",
  "terminal",
  "needsFollowup",
  "nextAction",
  "message",
  "truncation",
] as const;

function resultOf(fields: OutputFields, data: unknown, running: RunningCall, spent: Spent): ToolResult {
  const { success, error, labels } = fields;
  const { found } = running.call;
  const ok = success !== false;
  const message = error ?? fields.message ?? "The tool reported a failure.";
  return {
    callId: running.call.id,
    toolName: found.name,
    origin: found.origin,
    ok,
    ...(data === undefined ? {} : { data }),
    ...Object.fromEntries(
      SAYABLE.flatMap((field) => (fields[field] === undefined ? [] : [[field, fields[field]]])),
    ),
    ...(ok ? {} : { failure: { code: "tool_failed", message } }),
    labels: labelsOf(running, labels),
    ...spent,
  };
}

/** Every output is untrusted; the tool and this output may carry more. */
function labelsOf(running: RunningCall, labels: readonly Label[] = []): readonly Label[] {
  const declared = running.call.found.tool.labels ?? [];
  if (labels.length + declared.length === 0) return UNTRUSTED;
  return [...new Set<Label>([...UNTRUSTED, ...declared, ...labels])];
}

function notJson(running: RunningCall, spent: Spent): ToolResult {
  const name = running.call.found.name;
  return thrown(
    new ToolFailure("tool_failed", `${name} returned something that is not JSON.`),
    running,
    spent,
  );
}

/** The tool wrote output while it ran: that is shown, in addition to what it returned. */
async function withOutput(
  ended: Exclude<Attempted, { kind: "parked" }>,
  running: RunningCall,
  spent: Spent,
  collector: OutputCollector,
): Promise<SettledResult> {
  const { head, bytes, keptBytes, ...place } = await collector.end();
  const lost = { by: "runtime", unit: "bytes", kept: keptBytes, lost: bytes - keptBytes } as const;
  const truncation = bytes > keptBytes ? { truncation: { ...lost, ...place } } : {};
  if (ended.kind !== "returned") {
    const base =
      ended.kind === "threw" ? thrown(ended.error, running, spent) : stopped(ended, running, spent);
    return redactedResult(running, {
      ...base,
      data: { output: head },
      labels: labelsOf(running),
      ...truncation,
    });
  }
  const fields = isToolOutput(ended.value) ? ended.value : { data: ended.value };
  const returned = boundedReturn(fields.data, running);
  if (returned === NOT_JSON) return redactedResult(running, notJson(running, spent));
  if (returned === TOO_LARGE)
    return redactedResult(running, await cutData(wholeOf(fields, running, spent), TOO_LARGE, running));
  const data =
    returned === undefined
      ? head
      : isRecord(returned)
        ? { ...returned, output: head }
        : { output: head, value: returned };
  return redactedResult(running, { ...resultOf(fields, data, running, spent), ...truncation });
}

function wholeOf(fields: OutputFields, running: RunningCall, spent: Spent): ToolResult {
  return resultOf(fields, readData(fields.data, running).data, running, spent);
}

const NOT_JSON = Symbol("not JSON");

/** What is returned in addition to written output has no sidecar of its own: it is cut within its type. */
function boundedReturn(value: unknown, running: RunningCall): unknown {
  const { data, text, isJson } = readData(value, running);
  if (!isJson) return NOT_JSON;
  const bounded = text === undefined ? undefined : boundData(data, text, limitOf(running));
  if (bounded === TOO_LARGE) return TOO_LARGE;
  return bounded === undefined ? data : bounded.head;
}

function stopped(ended: Attempted & { kind: "stopped" }, running: RunningCall, spent: Spent): ToolResult {
  const { id, found } = running.call;
  const call = { id, toolName: found.name, origin: found.origin };
  const why =
    ended.why === "cancelled"
      ? failure("cancelled", FAILURE_MESSAGES.cancelled)
      : failure(
          "timed_out",
          `${found.name} was stopped after ${running.timeoutMs} ms.`,
          "Ask for less at a time.",
        );
  const result = failedResult(call, why, spent);
  if (ended.value === undefined) return result;
  const partial = boundedReturn(isToolOutput(ended.value) ? ended.value.data : ended.value, running);
  if (partial === NOT_JSON || partial === TOO_LARGE) return result;
  return { ...result, data: partial, labels: labelsOf(running) };
}

/** The last look for secrets, over everything the result says. What cannot be written down is not returned either. */
function redactedResult(running: RunningCall, given: ToolResult): SettledResult {
  const result = withReaders(running, given);
  const raw = encoded(result) ?? JSON.stringify(notJson(running, result));
  const text = running.turn.runtime.redactor.redactJson(raw);
  return { result: JSON.parse(text) as ToolResult, json: new JsonText(text) };
}

/** Which tools show the model what was cut. */
function withReaders({ turn }: RunningCall, result: ToolResult): ToolResult {
  const { truncation } = result;
  if (truncation?.path === undefined) return result;
  const readBy = turn.tools.list().flatMap(({ name, tool }) => (tool[READS_OUTPUTS] === true ? [name] : []));
  return readBy.length === 0 ? result : { ...result, truncation: { ...truncation, readBy } };
}

/** What a tool returned, as JSON. */
interface ReadData {
  readonly data?: unknown;
  /** Missing when there is nothing to say. */
  readonly text?: string | undefined;
  readonly isJson: boolean;
}

/** The data as JSON without secrets, and apart from the tool's own objects, which the tool may go on changing. */
function readData(value: unknown, running: RunningCall): ReadData {
  if (isForeign(value)) return { isJson: false };
  try {
    const raw = JSON.stringify(value);
    if (raw === undefined) return { isJson: value === undefined };
    const text = running.turn.runtime.redactor.redactJson(raw);
    return { data: text === raw ? detached(value, text) : JSON.parse(text), text, isJson: true };
  } catch {
    return { isJson: false };
  }
}

/** A value that reads the same as its JSON. What holds nothing but scalars is copied; anything else is read back. */
function detached(value: unknown, text: string): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return JSON.parse(text);
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const isScalar = typeof inner === "string" || typeof inner === "boolean" || Number.isFinite(inner);
    if (!isScalar || key === "__proto__" || key === "toJSON") return JSON.parse(text);
    // JSON knows one zero.
    copy[key] = inner === 0 ? 0 : inner;
  }
  return copy;
}

/** Maps, responses and the like would silently become `{}`. */
function isForeign(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype !== Object.prototype &&
    prototype !== null &&
    !("toJSON" in value) &&
    Object.keys(value).length === 0
  );
}

/** A `ToolFailure` has a message for the model. Anything else is a crash, and its stack is for the journal. */
function thrown(error: unknown, running: RunningCall, spent: Spent): ToolResult {
  const { id, found } = running.call;
  const call = { id, toolName: found.name, origin: found.origin };
  if (ToolFailure.isInstance(error)) {
    const { code, hint } = error;
    const message = shortened(error.message);
    const why = hint === undefined ? { code, message } : { code, message, hint: shortened(hint) };
    // Its message may hold what it read.
    return { ...failedResult(call, why, spent), labels: ["untrusted"] };
  }
  reportCrash(call, error, running.turn);
  return failedResult(
    call,
    failure("tool_crashed", `${found.name} crashed. Its makers can find the details in the journal.`),
    spent,
  );
}

const LONGEST_MESSAGE = 10_000;

/** A message is for reading; one that is not is cut, and says so. */
function shortened(message: string): string {
  const lost = message.length - LONGEST_MESSAGE;
  return lost <= 0
    ? message
    : `${message.slice(0, LONGEST_MESSAGE)} [cut by the runtime: ${lost} characters left out]`;
}
