import type { PolicyCall } from "./policy-call.ts";
import type { PolicyContext } from "./policy-context.ts";

/**
 * A check that may narrow a decision, never widen it. Looks at every call, in every mode. One that
 * throws or takes too long denies. What it needs to know of the session is in the policy context,
 * so that the same call in the same context is evaluated the same.
 */
export interface Watchdog {
  readonly name: string;
  /** How long it may take; five seconds unless it says so. */
  readonly timeoutMs?: number;
  evaluate(call: PolicyCall, context: PolicyContext): WatchdogVerdict | Promise<WatchdogVerdict>;
}

/** What a watchdog says about a call: it passes, or it asks or denies with a reason. */
export type WatchdogVerdict =
  | { readonly action: "allow" }
  | { readonly action: "ask" | "deny"; readonly reason: string };

/** What a watchdog decides when it objects. */
export type Objection = "ask" | "deny";

/** What each built-in watchdog decides when it objects. */
export interface WatchdogSettings {
  readonly secrets?: Objection | "off";
  readonly "rule-of-two"?: Objection | "off";
  readonly exfiltration?: Objection | "off";
  readonly "protected-names"?: Objection | "off";
  readonly overreach?: Objection | "off";
  readonly "risky-commands"?: Objection | "off";
  readonly "changed-scripts"?: Objection | "off";
  /** How many same calls in a row are too many. Default: not counted, because some tools poll. */
  readonly loop?: number | "off";
}
