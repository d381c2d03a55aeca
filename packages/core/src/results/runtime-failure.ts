import type { Failure, FailureCode, ToolResult } from "../contract/call/result.ts";
import type { Origin } from "../contract/values/origin.ts";

/** Which call failed. */
export interface FailedCall {
  readonly id: string;
  readonly toolName: string;
  readonly origin?: Origin;
}

/** The words of failures that other systems have fixed. */
export const FAILURE_MESSAGES = {
  notFound: (name: string) => `Tool not found: ${name}`,
  invalidArguments: (error: string) => `Invalid arguments: ${error}`,
  cancelled: "Cancelled",
  skippedBySteering: "Skipped due to queued user message.",
} as const;

export function failure(code: FailureCode, message: string, hint?: string): Failure {
  return hint === undefined ? { code, message } : { code, message, hint };
}

/** The result of a call that the runtime failed. The model may put it right, so it never ends the run. */
export function failedResult(call: FailedCall, why: Failure, spent?: Spent): ToolResult {
  return {
    callId: call.id,
    toolName: call.toolName,
    ...(call.origin === undefined ? {} : { origin: call.origin }),
    ok: false,
    failure: why,
    needsFollowup: true,
    labels: [],
    attempts: spent?.attempts ?? 0,
    startedAt: spent?.startedAt ?? 0,
    durationMs: spent?.durationMs ?? 0,
  };
}

/** What was spent on a call that did run. */
export interface Spent {
  readonly attempts: number;
  readonly startedAt: number;
  readonly durationMs: number;
}
