import type { RequirementSet } from "../call/requirements.ts";
import type { Label } from "../call/result.ts";
import type { IsolationLevel } from "../io/sandbox.ts";
import type { Principal } from "../people/principal.ts";
import type { PolicyCall } from "./policy-call.ts";

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
