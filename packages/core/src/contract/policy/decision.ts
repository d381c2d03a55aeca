import type { PathDenies } from "../call/path-denies.ts";
import type { Variables } from "../call/requirements.ts";
import type { Label } from "../call/result.ts";
import type { ConditionLanguage } from "./condition.ts";
import type { PolicyCall } from "./policy-call.ts";
import type { DecisionFacts, PolicyContext } from "./policy-context.ts";
import type { Action, RequiredApprovers, Rule } from "./rule.ts";
import type { Watchdog, WatchdogSettings } from "./watchdog.ts";

/** The part of a policy that made a decision. */
export type DecisionLayer =
  | "rule"
  | "default"
  | "stage"
  | "allow-list"
  | "mode"
  | "approval"
  | "watchdog"
  | "approver";

/** What a policy decided about one call, and why. */
export interface Decision {
  readonly action: Action;
  /** The part of the policy that decided. */
  readonly layer: DecisionLayer;
  /** The rule as a line, or the name of the watchdog, mode or approver. */
  readonly matchedBy: string;
  /** For the user and the model; missing only if the call is allowed. */
  readonly reason?: string;
  /** What asks: `rules`, or the names of watchdogs. An `always` is remembered for each of them. */
  readonly askedBy?: readonly string[];
  /** What is at stake, without the rule: `because` of the rule, the objection of a watchdog, or a known danger. */
  readonly because?: string;
  /** Where the rule is written. */
  readonly at?: string;
  /** No later step can loosen it. */
  readonly isFinal?: true;
  /** An `always` applies to this call only. */
  readonly neverRemember?: true;
  /** The rules that ask, each as a line with its reason: an answer applies to these. */
  readonly askRules?: readonly string[];
  /** Who must approve the call, all of them. Missing if any approver can. */
  readonly needs?: readonly RequiredApprovers[];
  /** What its rules knew of time and of earlier calls; missing if none asked. */
  readonly facts?: DecisionFacts;
  /** In the mode `observe`: what would have been decided. */
  readonly observed?: { readonly action: "ask" | "deny"; readonly reason: string };
}

/** Port: decides whether a call may run, instead of a policy. If it throws, the call is denied. */
export interface Authorizer {
  decide(call: PolicyCall, context: PolicyContext): Decision | Promise<Decision>;
  /** How long earlier calls count, in milliseconds; missing if they do not. An authorizer that wraps another one must pass it on. */
  readonly longestWindowMs?: number | undefined;
  /**
   * Patterns of the paths that an allowed call must leave out of the trees that it reads in part. An authorizer that
   * wraps another one must pass it on: without it, trees are allowed or denied as a whole.
   */
  leavesOut?(call: PolicyCall, context: PolicyContext): readonly string[];
  /**
   * The paths that are denied to the tool of a call, so that a sandbox masks them from commands, which can touch more
   * than they name. An authorizer that wraps another one must pass it on: without it, nothing is masked.
   */
  pathDenies?(call: PolicyCall, context: PolicyContext): PathDenies | undefined;
  /**
   * What a call adds to the marks of its session, each label with what the call does for it; `roots` are the folders the
   * agent works in. An authorizer that wraps another one must pass it on: without it, labels of paths mark nothing.
   */
  marksOf?(call: PolicyCall, roots: readonly string[]): Readonly<Partial<Record<Label, string>>>;
}

/**
 * What happens with a call that rules neither allow nor deny. `ask`: it asks. `allowlist`: entries of the allow-list
 * are allowed, and the rest asks. `yolo`: it is allowed. `observe`: everything is allowed and recorded, except for denies of the
 * manifest and of watchdogs that the host application gives.
 */
export type PolicyMode = "ask" | "allowlist" | "yolo" | "observe";

/**
 * Port: a stage machine of the host application. It decides about calls that would ask, one call at a time. If it
 * throws, the call is denied.
 */
export interface StageMachine {
  readonly name: string;
  evaluate(call: PolicyCall, context: PolicyContext): StageVerdict | Promise<StageVerdict>;
}

/** `defer`: the machine does not decide; the policy continues. */
export type StageVerdict =
  | "approve"
  | "defer"
  | { readonly verdict: "approve" | "defer" }
  | { readonly verdict: "deny"; readonly reason: string };

/**
 * A policy as it is written. Sessions take it as `policy`; `compilePolicy` compiles it for use without a session.
 *
 * @example
 * const policy: PolicyDefinition = {
 *   rules: ["allow fs.read src/**", "ask net.fetch *.weather.example", 'deny git.push "*" if forced'],
 *   watchdogs: [workingHours],
 * };
 */
export interface PolicyDefinition {
  /** Default: `ask`. */
  readonly mode?: PolicyMode;
  /** Lines as in a policy file, such as `"ask net.fetch *.weather.example"`, or objects. */
  readonly rules?: readonly (Rule | string)[];
  /** For the mode `allowlist`: entries `name` or `name(keyPattern)`. */
  readonly allowList?: readonly string[];
  /** In addition to the built-in ones. */
  readonly watchdogs?: readonly Watchdog[];
  /** Settings of the built-in watchdogs. Default: all are on, except `loop`. */
  readonly builtIn?: WatchdogSettings | "off";
  readonly stages?: StageMachine;
  /**
   * Capabilities, such as `fs.write` or `payments.*`: a call with such an effect runs alone among all sessions that
   * share a store or a process, for each resource; for files, for the workspace they are in.
   */
  readonly locks?: readonly string[];
  /** The language of `when` in rules: `cel` of `@toolkeep/policy/cel`. Policy files bring it. Without it, `when` is an error. */
  readonly conditions?: ConditionLanguage;
  /** The values of `{workspace}` and other variables in patterns. Default: those of the session. */
  readonly variables?: Variables;
}
