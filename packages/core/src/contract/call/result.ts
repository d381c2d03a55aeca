import type { Content } from "./content.ts";
import type { Failure } from "./failure.ts";
import type { Origin } from "./origin.ts";

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

/** What `output()` returns. */
export interface ToolOutput<Data = unknown> extends OutputFields<Data> {
  readonly [OUTPUT]: true;
}

/**
 * Returned by `execute` when plain data is not enough: content for the model, details for the application, labels, or
 * what should happen next.
 *
 * @example
 * execute: async ({ id }) => output({ data: await load(id), labels: ["private"], message: "Loaded one record." });
 */
export function output<Data>(fields: OutputFields<Data>): ToolOutput<Data> {
  return Object.freeze({ ...fields, [OUTPUT]: true as const });
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && OUTPUT in value;
}
