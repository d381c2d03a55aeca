import { assertKnownKeys } from "../../contract/values/error.ts";

/** The limits a session runs with. */
export interface Limits {
  /** `false` refuses every call. Default: `true`. */
  readonly toolsEnabled: boolean;
  /** How long a tool may execute, unless the tool or its configuration sets another time. Default: 2 minutes. */
  readonly timeoutMs: number;
  /** The most a call may take, however much progress it reports. Default: 30 minutes. */
  readonly totalTimeoutMs: number;
  /** How long a tool that was told to stop may take to do so. Default: 5 seconds. */
  readonly graceMs: number;
  /** How long a gate, and the `effects` of a tool, may take. Default: 5 seconds. */
  readonly gateTimeoutMs: number;
  /** How long an approval may take; then the call is denied. Default: 30 days, which questions always have. */
  readonly approvalDeadlineMs?: number;
  /** The largest output that a result shows, in bytes. Default: 200 KB. */
  readonly maxOutputBytes: number;
  /** The longest list that a result shows. Default: 1,000,000 entries. */
  readonly maxOutputEntries: number;
  readonly retry: RetryLimits;
}

/** How often a call that failed is tried again. */
export interface RetryLimits {
  /** Default: 3. */
  readonly attempts: number;
  /** The wait before attempt n is `base ** n` units and up to half a unit more. Default: 1.5. */
  readonly base: number;
  /** Default: 1 second. */
  readonly unitMs: number;
  /** `transient` (default): passing failures of idempotent tools. `any`: every failure that is not plainly final. */
  readonly on: "transient" | "any";
}

/** What may be given: everything has a default. */
export type LimitOptions = Partial<Omit<Limits, "retry">> & { readonly retry?: Partial<RetryLimits> };

export const DEFAULT_LIMITS: Limits = Object.freeze({
  toolsEnabled: true,
  timeoutMs: 120_000,
  totalTimeoutMs: 1_800_000,
  graceMs: 5_000,
  gateTimeoutMs: 5_000,
  maxOutputBytes: 200 * 1024,
  maxOutputEntries: 1_000_000,
  retry: Object.freeze({ attempts: 3, base: 1.5, unitMs: 1_000, on: "transient" }),
});

const KNOWN = [...Object.keys(DEFAULT_LIMITS), "approvalDeadlineMs"];

/** @throws ToolkeepError `invalid_option` for a limit that does not exist. */
export function limitsOf(given: LimitOptions = {}): Limits {
  assertKnownKeys(given, KNOWN, "limit");
  assertKnownKeys(given.retry ?? {}, Object.keys(DEFAULT_LIMITS.retry), "retry limit");
  return { ...DEFAULT_LIMITS, ...given, retry: { ...DEFAULT_LIMITS.retry, ...given.retry } };
}
