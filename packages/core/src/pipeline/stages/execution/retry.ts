import { ToolFailure } from "../../../contract/call/failure.ts";
import type { Tool } from "../../../contract/tool/tool.ts";
import type { RetryLimits } from "../../turn/limits.ts";
import type { Attempted } from "../../turn/running-call.ts";

/** Trying again cannot help: it is not there, it is not ours, or the tests really fail. */
const FINAL = new Set(["not_found", "ENOENT", "out_of_scope", "boundary_violation", "tests_failed"]);

/** What networks and busy machines do from time to time. */
const PASSING = new Set([
  "EAGAIN",
  "EAI_AGAIN",
  "EBUSY",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
]);

export function shouldRetry(tool: Tool, ended: Attempted, attempt: number, limits: RetryLimits): boolean {
  if (ended.kind !== "threw" || attempt >= limits.attempts) return false;
  const code = codeOf(ended.error);
  if (code !== undefined && FINAL.has(code)) return false;
  if (limits.on === "any") return true;
  return tool.idempotent && (isTransient(ended.error) || (code !== undefined && PASSING.has(code)));
}

/** Milliseconds to wait after an attempt, with some chance in it so that many callers do not come back together. */
export function backOff(attempt: number, { base, unitMs }: RetryLimits): number {
  return (base ** attempt + Math.random() * 0.5) * unitMs;
}

function isTransient(error: unknown): boolean {
  return ToolFailure.isInstance(error) && error.transient;
}

function codeOf(error: unknown): string | undefined {
  const carrier = error as
    | { readonly code?: unknown; readonly cause?: { readonly code?: unknown } }
    | null
    | undefined;
  const code = carrier?.code ?? carrier?.cause?.code;
  return typeof code === "string" ? code : undefined;
}
