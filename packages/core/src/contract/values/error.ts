/** What can go wrong in the host application's use of Toolkeep, by code. */
export type ErrorCode =
  | "invalid_tool"
  | "invalid_requirement"
  | "invalid_rule"
  | "invalid_option"
  | "session_closed"
  | "session_in_use"
  | "session_lost"
  | "turn_unknown"
  | "turn_running"
  | "answer_refused"
  | "journal_broken";

const BRAND = Symbol.for("toolkeep.error");

/**
 * Thrown for a mistake of the host application, such as an invalid option. What a model does is never thrown: it
 * becomes a failed result.
 */
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
