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

export interface ToolFailureOptions {
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
