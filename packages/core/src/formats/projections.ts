import type { PersonRequest } from "../contract/approval/approval.ts";
import type { Content, ToolResult } from "../contract/call/result.ts";
import { defined } from "../contract/values/defined.ts";
import { isRecord } from "../contract/values/is-record.ts";
import { OPTIONAL_FIELDS, SNAKE_NAMES } from "./dictionary-fields.ts";
import { failureText, modelContent } from "./model-text.ts";

/** `{ type, data | error_text, metadata }`: the same around every tool. */
export interface Envelope {
  readonly type: "output" | "error";
  readonly data?: unknown;
  readonly error_text?: string;
  readonly metadata: {
    readonly duration_ms: number;
    readonly truncated?: boolean;
    readonly output_path?: string;
    readonly [field: string]: unknown;
  };
}

/** Success or failure, and what should happen next. More fields may follow. */
export interface SuccessResult {
  readonly success: boolean;
  readonly terminal?: boolean;
  readonly needsFollowup?: boolean;
  readonly nextAction?: string;
  readonly message?: string;
  readonly error?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Content blocks and details, with the fields that tie them to their call. */
export interface ContentMessage {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly is_error: boolean;
  readonly timestamp: number;
  readonly content: readonly Content[];
  /** Never sent to the model. */
  readonly details?: unknown;
  readonly child_loop_id?: string;
  /** The rest of the record; never sent to the model. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** A whole result as one plain dictionary. */
export type ResultDict = Readonly<Record<string, unknown>>;

function toEnvelope(result: ToolResult): Envelope {
  const { callId, toolName, ok, data, labels, attempts, startedAt, durationMs } = result;
  const metadata: Record<string, unknown> & { duration_ms: number } = {
    duration_ms: durationMs,
    tool_call_id: callId,
    tool_name: toolName,
    labels,
    attempts,
    started_at: startedAt,
  };
  for (const field of OPTIONAL_FIELDS) {
    if (result[field] !== undefined) metadata[SNAKE_NAMES[field] ?? field] = result[field];
  }
  const { truncation } = result;
  if (truncation !== undefined) metadata["truncated"] = true;
  if (truncation?.path !== undefined) metadata["output_path"] = truncation.path;
  if (ok) {
    if (data === undefined) metadata["empty"] = true;
    return { type: "output", data: data ?? null, metadata };
  }
  if (data !== undefined) metadata["data"] = data;
  return { type: "error", error_text: failureText(result), metadata };
}

function fromEnvelope(envelope: Envelope): ToolResult {
  const {
    duration_ms,
    truncated: _cut,
    output_path: _path,
    empty,
    data: failedData,
    ...rest
  } = envelope.metadata;
  const data = envelope.type === "output" ? (empty === true ? undefined : envelope.data) : failedData;
  return compact({ ...renamed(rest, CAMEL), ok: envelope.type === "output", data, durationMs: duration_ms });
}

function toToolResult(result: ToolResult): SuccessResult {
  const { ok, data, failure, ...rest } = result;
  return {
    success: ok,
    ...rest,
    ...(failure === undefined ? {} : { error: failure.message, failure }),
    ...(data === undefined ? {} : isRecord(data) ? { data } : { data: { value: data }, bare: true }),
  };
}

function fromToolResult(view: SuccessResult): ToolResult {
  const { success, error: _error, data, bare, ...rest } = view;
  return compact({ ...rest, ok: success, data: bare === true ? data?.["value"] : data });
}

function toContent(result: ToolResult): ContentMessage {
  const { callId, toolName, details, childId, startedAt, durationMs, ...record } = result;
  return {
    tool_call_id: callId,
    tool_name: toolName,
    is_error: !result.ok,
    timestamp: startedAt + durationMs,
    content: modelContent(result),
    ...defined({ details, child_loop_id: childId }),
    record: { ...record, durationMs },
  };
}

function fromContent(message: ContentMessage): ToolResult {
  const durationMs = Number(message.record["durationMs"]);
  return compact({
    ...message.record,
    callId: message.tool_call_id,
    toolName: message.tool_name,
    details: message.details,
    childId: message.child_loop_id,
    startedAt: message.timestamp - durationMs,
    durationMs,
  });
}

export function toDict(result: ToolResult): ResultDict {
  const { ok, ...rest } = result;
  return { success: ok, ...renamed(rest, SNAKE_NAMES) };
}

function fromDict(dict: ResultDict): ToolResult {
  const { success, ...rest } = dict;
  return compact({ ok: success, ...renamed(rest, CAMEL) });
}

/** `{ type, data | error_text, metadata }`. */
export const envelope = Object.freeze({
  result: toEnvelope,
  /** The result that an envelope was made of. */
  parse: fromEnvelope,
});

/** `{ success, data, error, … }`, with what should happen next. */
export const successResult = Object.freeze({
  result: toToolResult,
  /** The result that the object was made of. */
  parse: fromToolResult,
});

/** Content blocks, with what ties them to their call. */
export const contentMessage = Object.freeze({
  result: toContent,
  /** The result that the message was made of. */
  parse: fromContent,
});

/** One flat dictionary with snake_case keys. */
export const resultDict = Object.freeze({
  result: toDict,
  /** The result that the dictionary was made of. */
  parse: fromDict,
});

/** Whether the run ends here: the result says so, or it failed and does not ask for a follow-up. */
export function isTerminalResult(
  result: Pick<SuccessResult, "success" | "terminal" | "needsFollowup">,
): boolean {
  return result.terminal === true || (result.success === false && result.needsFollowup !== true);
}

/** The status that a run shows: why it ended, or `clarification_needed` while a question waits for its answer. */
export function runStatus<Reason extends string>(end: {
  readonly reason: Reason;
  readonly requests: readonly PersonRequest[];
}): Reason | "clarification_needed" {
  return end.requests.some((request) => "questions" in request) ? "clarification_needed" : end.reason;
}

/** The status that a list of calls shows. */
export function callStatus(result: Pick<SuccessResult, "success">): "done" | "error" {
  return result.success ? "done" : "error";
}

const CAMEL = Object.fromEntries(Object.entries(SNAKE_NAMES).map(([camel, snake]) => [snake, camel]));

function renamed(fields: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [names[key] ?? key, value]));
}

function compact(fields: Record<string, unknown>): ToolResult {
  return defined(fields) as unknown as ToolResult;
}
