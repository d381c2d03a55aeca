import type { Effect, PathDenies, RequirementSet, Variables } from "../call/effect.ts";
import type { Label } from "../call/result.ts";
import type { IsolationLevel } from "../io/sandbox.ts";
import type { Principal } from "../people/principal.ts";
import type { PolicyCall } from "./policy-call.ts";
import type { Action, RequiredApprovers, Rule } from "./rule.ts";

/** The part of a policy that made a decision. */
export type DecisionLayer =
  | "rule"
  | "default"
  | "stage"
  | "allow-list"
  | "mode"
  | "approval"
  | "watchdog"
  | "approver"
  | "containment";

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
  /** What the rules on trial (`shadow`) would have made of it; missing if they change nothing. */
  readonly shadow?: { readonly action: Action; readonly reason: string };
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

/** Port: decides about calls that would ask, one at a time. If it throws, the call is denied. */
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
  /** Rules on trial: what they would have changed is recorded with each decision, and they enforce nothing. */
  readonly shadow?: readonly (Rule | string)[];
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

/** What a decision depends on besides the call. */
export interface PolicyContext {
  readonly sessionId: string;
  readonly principal: Principal;
  /** The names of the agents from the root to the one that calls; empty for the root itself. */
  readonly agents: readonly string[];
  readonly sandbox: IsolationLevel;
  /** Whether the user trusts the project that the agent works in. */
  readonly isTrusted: boolean;
  /** The folders the agent works in; empty where none are configured. */
  readonly roots: readonly string[];
  /** What the session has taken in or touched so far: `untrusted` content, `private` data. */
  readonly taint: ReadonlySet<Label>;
  /** What each label came from, for the words of a reason. Decides nothing. */
  readonly taintedBy?: ReadonlyMap<Label, string>;
  /** Files that say what commands run, such as `package.json`, and that calls of this session were allowed to change. */
  readonly changedScripts: ReadonlySet<string>;
  /** What the agent may need: its manifest and all its tools together. */
  readonly requires: RequirementSet;
  /** The call that was decided before this one, and how often it was made in a row. */
  readonly last: RepeatedCall | undefined;
  /** The time of the decision, in milliseconds since the epoch. Without it, conditions on time cannot be evaluated. */
  readonly now?: number;
  /** The calls before this one. Without them, conditions on rates cannot be evaluated. */
  readonly earlier?: EarlierCalls;
  /** Whether a secret stands in a text: a declared value, or what looks like one. */
  holdsSecret(text: string): boolean;
  /** Whether a person said `always` to this call when `asker` asked. */
  isApproved(call: PolicyCall, asker: string): boolean | Promise<boolean>;
  /** A fingerprint of what the tool says of itself, the same in every process. */
  definitionHash(tool: PolicyCall["found"]): string | Promise<string>;
}

/** How often the same call was made in a row. */
export interface RepeatedCall {
  readonly toolName: string;
  readonly argsText: string;
  readonly times: number;
}

/** What the rules of a decision knew of time and of earlier calls. Recorded with it. */
export interface DecisionFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many earlier calls were counted, by permission, pattern and window. */
  readonly rates?: Readonly<Record<string, number>>;
}

/** The calls of a session before the one that is decided. */
export interface EarlierCalls {
  /** How many the counter matches since a time. Throws if too many calls were made to know. */
  count(counter: CallCounter, since: number): number;
  /** What was recorded with a decision; for decisions that are made again. */
  readonly recorded?: DecisionFacts;
}

/** Which calls are counted. The same object each time, so that calls are matched once. */
export interface CallCounter {
  matches(call: PolicyCall): boolean;
}

/** Port: the language of `when` in rules. `cel` of `@toolkeep/policy/cel` is one. */
export interface ConditionLanguage {
  /** Compiles a condition when the policy is read; unknown names are errors there, and not when a call is decided. */
  compile(text: string): CompiledCondition | ConditionError;
}

/** Why a condition is invalid. */
export interface ConditionError {
  readonly error: string;
  /** Position in the condition, counted from 0. */
  readonly offset: number;
  readonly hint?: string;
}

/** A condition that can be evaluated. */
export interface CompiledCondition {
  readonly error?: undefined;
  /** The longest window of `rate`, in milliseconds; 0 without any. */
  readonly longestWindowMs: number;
  /** Whether the condition holds. Throws if that cannot be said. */
  holds(facts: ConditionFacts): boolean;
}

/** What a condition is given. */
export interface ConditionFacts {
  readonly call: PolicyCall;
  readonly effect: Effect;
  readonly context: PolicyContext;
  /** The time of the decision, in milliseconds since the epoch. Throws if it is not known. */
  now(): number;
  /** How many earlier calls the rule's permission and pattern match, within a window. Throws if that is not known. */
  rate(windowMs: number): number;
}

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
  readonly destruction?: Objection | "off";
  /** How many same calls in a row are too many. Default: not counted, because some tools poll. */
  readonly loop?: number | "off";
}
