import type { PolicyCall } from "./call.ts";
import type { PathDenies } from "./path-denies.ts";
import type { PolicyContext } from "./policy-context.ts";
import type { Variables } from "./requirements.ts";
import type { Action, Rule } from "./rule.ts";
import type { Watchdog, WatchdogSettings } from "./watchdog.ts";

/** What may say something about a call. */
export type DecisionLayer =
  | "rule"
  | "default"
  | "stage"
  | "allow-list"
  | "mode"
  | "approval"
  | "watchdog"
  | "approver";

/** The policy's decision on one call, and why. */
export interface Decision {
  readonly action: Action;
  /** Which part of policy decided. */
  readonly layer: DecisionLayer;
  /** The rule or watchdog, as a person can find it again. */
  readonly matchedBy: string;
  /** For a person or a model; always there unless the call is allowed. */
  readonly reason?: string;
  /** Who asks: `rules` or the names of watchdogs. An `always` is remembered for each of them apart. */
  readonly askedBy?: readonly string[];
  /** The reason that is written with the rule. */
  readonly because?: string;
  /** Where the rule is written. */
  readonly at?: string;
  /** Nothing that is asked later loosens it. */
  readonly isFinal?: true;
  /** An `always` counts for this once only. */
  readonly neverRemember?: true;
  /** In `observe` mode: what would have become of the call. */
  readonly observed?: { readonly action: "ask" | "deny"; readonly reason: string };
}

/** Port: decides whether a call may run. Must not act. If it throws, the call is denied. */
export interface Authorizer {
  decide(call: PolicyCall, context: PolicyContext): Decision | Promise<Decision>;
  /**
   * What a call that is allowed must leave out of the trees that it reads in part, as patterns of paths. An
   * authorizer that wraps another one must pass it on: without it no effect is `partial`, and trees are decided as a whole.
   */
  leavesOut?(call: PolicyCall, context: PolicyContext): readonly string[];
  /**
   * What is denied on paths to the tool of a call, so that a sandbox masks it from commands, which may touch more
   * than they name. An authorizer that wraps another one must pass it on: without it commands see what their tool may reach.
   */
  pathDenies?(call: PolicyCall, context: PolicyContext): PathDenies | undefined;
}

/** The mode of a session, fixed when it opens. */
export type PolicyMode = "ask" | "allowlist" | "yolo" | "observe";

/**
 * Port: the host application's stage machine. It is asked about a call that would ask, and its verdict
 * applies to that one proposal. One that throws denies.
 */
export interface StageMachine {
  readonly name: string;
  evaluate(call: PolicyCall, context: PolicyContext): StageVerdict | Promise<StageVerdict>;
}

/** `defer`: the machine does not decide; the mode does. */
export type StageVerdict =
  | "approve"
  | "defer"
  | { readonly verdict: "approve" | "defer" }
  | { readonly verdict: "deny"; readonly reason: string };

/** Rules, mode and watchdogs, as they are written down. `compilePolicy` makes them decide. */
export interface PolicyDefinition {
  /** `ask` where it is left out. */
  readonly mode?: PolicyMode;
  /** Lines as in a policy file, such as `"ask net.fetch *.weather.example"`, or objects. */
  readonly rules?: readonly (Rule | string)[];
  /** For the mode `allowlist`: `name`, or `name(keyPattern)`. */
  readonly allowList?: readonly string[];
  /** In addition to the built-in watchdogs. */
  readonly watchdogs?: readonly Watchdog[];
  /** How the built-in watchdogs are set. Default: all but `loop` are on. */
  readonly builtIn?: WatchdogSettings | "off";
  readonly stages?: StageMachine;
  /** What `{workspace}` and the others stand for in the rules' patterns. */
  readonly variables?: Variables;
}
