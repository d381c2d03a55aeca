/** Every mistake an embedder can make, by code. */
export type ErrorCode =
  | "invalid_tool"
  | "invalid_requirement"
  | "invalid_rule"
  | "invalid_option"
  | "session_closed"
  | "session_in_use"
  | "turn_unknown"
  | "turn_running"
  | "answer_refused"
  | "journal_broken";

const BRAND = Symbol.for("toolkeep.error");

/** A mistake of the embedder. Thrown; what a model does never becomes one. */
export class ToolkeepError extends Error {
  readonly code: ErrorCode;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolkeepError";
    this.code = code;
  }

  /** Recognises the error also when it comes from another copy of the package. */
  static isInstance(value: unknown): value is ToolkeepError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}
