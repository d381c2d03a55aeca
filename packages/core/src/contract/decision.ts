import type { ApprovalAnswer } from "./approval.ts";
import type { ConfinedCall } from "./call.ts";

export type Action = "allow" | "ask" | "deny";

/** What policy says of one call, and on what ground. */
export interface Decision {
  readonly action: Action;
  /** Which part of policy decided. */
  readonly layer: "rule" | "default" | "approval" | "watchdog" | "approver";
  /** The rule or watchdog, in words a person can find again. */
  readonly ground: string;
  /** For a person or a model; always there unless the call is allowed. */
  readonly reason?: string;
}

/** Port: decides whether a call may run. Must not act. If it throws, the call is denied. */
export interface Authorizer {
  decide(call: ConfinedCall): Decision | Promise<Decision>;
  /** Told of an `always`, so that the same is not asked again. */
  remember?(call: ConfinedCall, answer: ApprovalAnswer): void;
}

/**
 * `(permission, pattern, action)`. A deny that matches is final. Otherwise rules on the tool and
 * rules on the capability are judged apart and the stricter wins; within each, the longer literal
 * pattern counts, and of two as long the stricter. A rule on `*` counts where no other speaks.
 */
export interface Rule {
  /** A tool, a capability, or `*`. */
  readonly permission: string;
  /**
   * Matched against the targets of the call's effects: absolute paths, hosts, command lines. In a
   * path `*` stays within a segment and `**` does not; elsewhere `*` matches anything. `?` is one
   * character, `{a,b}` one of several, `{workspace}` a variable. Left out: everything.
   */
  readonly pattern?: string;
  readonly action: Action;
}

/** A check that may narrow a decision, never widen it. One that throws denies. */
export interface Watchdog {
  readonly name: string;
  judge(call: ConfinedCall): WatchdogVerdict | Promise<WatchdogVerdict>;
}

export type WatchdogVerdict =
  | { readonly action: "allow" }
  | { readonly action: "ask" | "deny"; readonly reason: string };
