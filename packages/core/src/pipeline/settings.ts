/** The figures a session runs with. */
export interface Settings {
  readonly toolsEnabled: boolean;
  /** How long a tool may execute, unless it or its configuration says otherwise. */
  readonly timeoutMs: number;
  /** The most a call may take, however much progress it reports. */
  readonly totalTimeoutMs: number;
  /** How long a tool that was told to stop may take to do so. */
  readonly graceMs: number;
  /** How long a gate may take. */
  readonly gateTimeoutMs: number;
  /** How long a person may take to answer; no limit where it is left out. Then the call is denied. */
  readonly approvalDeadlineMs?: number;
  readonly maxOutputBytes: number;
  readonly maxOutputEntries: number;
  readonly retry: RetrySettings;
}

export interface RetrySettings {
  readonly attempts: number;
  /** The wait before attempt n is `base ** n` units and up to half a unit more. */
  readonly base: number;
  readonly unitMs: number;
  /** `transient`: passing failures of idempotent tools. `any`: every failure that is not plainly final. */
  readonly on: "transient" | "any";
}

export const DEFAULT_SETTINGS: Settings = Object.freeze({
  toolsEnabled: true,
  timeoutMs: 120_000,
  totalTimeoutMs: 1_800_000,
  graceMs: 5_000,
  gateTimeoutMs: 5_000,
  maxOutputBytes: 200 * 1024,
  maxOutputEntries: 1_000_000,
  retry: Object.freeze({ attempts: 3, base: 1.5, unitMs: 1_000, on: "transient" }),
});
