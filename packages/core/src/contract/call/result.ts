import type { Origin } from "../values/origin.ts";

/** What a result is known to carry. Every tool's output is untrusted unless the host application says otherwise. */
export type Label = "untrusted" | "private";

/** What was left out of a result, who left it out, and where the whole of it is. */
export interface Truncation {
  readonly by: "runtime" | "tool";
  readonly unit: "bytes" | "entries";
  readonly kept: number;
  readonly lost: number;
  /** The sidecar that holds the whole output; missing if it could not be kept. */
  readonly path?: string;
  /** The tools of the session that show outputs at a `path` to the model; missing if it has none. */
  readonly readBy?: readonly string[];
  /** What the whole output is, where the sidecar finds outputs by their content: the SHA-256 of its bytes, and what they are. */
  readonly whole?: { readonly sha256: string; readonly bytes: number; readonly mediaType: string };
  /** What is missing inside the data, by JSON pointer: `{ "/rows": "4990 entries" }`. */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/** The result of a call: its data or its failure, with what the model and the journal need. Formats convert it. */
export interface ToolResult<Data = unknown> {
  readonly callId: string;
  readonly toolName: string;
  /** Missing when no tool of that name was found. */
  readonly origin?: Origin;
  readonly ok: boolean;
  /** The tool's output when `ok`; of a failed call, what it has to show all the same. */
  readonly data?: Data;
  readonly failure?: Failure;
  /** What the model sees, where that is not simply `data`. */
  readonly content?: readonly Content[];
  /** For people and programs; never shown to the model. */
  readonly details?: unknown;
  /** The session of the child that did the work. */
  readonly childId?: string;
  readonly terminal?: boolean;
  readonly needsFollowup?: boolean;
  readonly nextAction?: string;
  /** For the user who follows the run. */
  readonly message?: string;
  readonly labels: readonly Label[];
  readonly truncation?: Truncation;
  readonly attempts: number;
  /** Milliseconds since the epoch; 0 for a call that was never executed. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** The result of a call by name: `data` is there when `ok`, and `failure` when not. */
export type CallResult<Data = unknown> = ToolResult<Data> &
  ({ readonly ok: true; readonly data: Data } | { readonly ok: false; readonly failure: Failure });

const OUTPUT = Symbol.for("toolkeep.output");

/** What a tool may say about its output beyond the data itself. */
export interface OutputFields<Data = unknown> {
  readonly data?: Data;
  readonly content?: readonly Content[];
  readonly details?: unknown;
  readonly childId?: string;
  /** `false` makes it a failure of the tool's own making, terminal unless it needs a follow-up. */
  readonly success?: boolean;
  readonly error?: string;
  readonly terminal?: boolean;
  readonly needsFollowup?: boolean;
  readonly nextAction?: string;
  readonly message?: string;
  readonly labels?: readonly Label[];
  /** Set by a tool that cut its output itself. */
  readonly truncation?: Truncation;
}

/** What `toolOutput()` returns. */
export interface ToolOutput<Data = unknown> extends OutputFields<Data> {
  readonly [OUTPUT]: true;
}

/**
 * Returned by `execute` when plain data is not enough: content for the model, details for the application, labels, or
 * what should happen next.
 *
 * @example
 * execute: async ({ id }) => toolOutput({ data: await load(id), labels: ["private"], message: "Loaded one record." });
 */
export function toolOutput<Data>(fields: OutputFields<Data>): ToolOutput<Data> {
  return Object.freeze({ ...fields, [OUTPUT]: true as const });
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && OUTPUT in value;
}

/** One block of a result, as the model sees it. */
export type Content = TextContent | ImageContent;

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

interface ImageContent {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Replaces the image for models that take text only. */
  readonly alt?: string;
}

/**
 * A text block, for `content` of a result.
 *
 * @example
 * return toolOutput({ data: rows, content: [textContent(`${rows.length} rows`)] });
 */
export function textContent(value: string): TextContent {
  return { type: "text", text: value };
}

/** Every failure that the runtime itself can give to a model, by code. */
export type FailureCode =
  | "tools_disabled"
  | "not_found"
  | "unavailable"
  | "invalid_arguments"
  | "invalid_call"
  | "duplicate_call"
  | "effects_failed"
  | "out_of_scope"
  | "conflict"
  | "too_large"
  | "denied"
  | "budget_exceeded"
  | "skipped"
  | "timed_out"
  | "cancelled"
  | "tool_failed"
  | "tool_crashed"
  | "interrupted"
  | "outcome_unknown";

/** An expected failure: data for the model to read and act on. */
export interface Failure {
  /** A `FailureCode`, or a code the tool declares. */
  readonly code: string;
  /** What happened and why. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

const BRAND = Symbol.for("toolkeep.failure");

interface ToolFailureOptions {
  readonly hint?: string;
  /** The same call may succeed when it is tried again. */
  readonly transient?: boolean;
  readonly cause?: unknown;
}

/** Thrown by a tool to fail with a message for the model. */
export class ToolFailure extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly transient: boolean;
  readonly [BRAND] = true;

  constructor(code: string, message: string, options: ToolFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolFailure";
    this.code = code;
    this.hint = options.hint;
    this.transient = options.transient ?? false;
  }

  static isInstance(value: unknown): value is ToolFailure {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** An access was refused because the call does not include it. */
export class AccessRefused extends ToolFailure {
  readonly access: { readonly capability: string; readonly target: string };

  constructor(message: string, access: AccessRefused["access"]) {
    super("out_of_scope", message);
    this.access = access;
  }
}
