import type { Failure, Label } from "../../contract/call/result.ts";
import type { Decision, DecisionFacts } from "../../contract/policy/decision.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import type { AuthorizedCall, ToolCall } from "../../contract/stages/call.ts";
import type { RefusingStage } from "../../contract/store/event.ts";
import type { RegisteredTool } from "../../contract/tool/tool.ts";
import type { LockTicket } from "../../locks/effect-locks.ts";

export type Awaitable<T> = T | Promise<T>;

/** A stage refused the call before it began. */
export class Refused {
  readonly stage: RefusingStage;
  readonly failure: Failure;
  /** As far as the call had come. */
  readonly call: ToolCall;
  readonly found: RegisteredTool | undefined;
  readonly argsText: string | undefined;
  readonly effects: readonly CanonicalEffect[] | undefined;
  readonly taint: readonly Label[] | undefined;
  readonly facts: DecisionFacts | undefined;
  readonly shadow: Decision["shadow"] | undefined;
  /** The decision that denied it. */
  readonly deniedBy: Decision | undefined;

  constructor(stage: RefusingStage, failure: Failure, at: RefusedAt) {
    this.stage = stage;
    this.failure = failure;
    this.call = at.request;
    this.found = at.found;
    this.argsText = at.argsText;
    this.effects = at.effects;
    this.taint = at.taint;
    this.facts = at.facts;
    this.shadow = at.shadow;
    this.deniedBy = at.deniedBy;
  }
}

export interface RefusedAt {
  readonly request: ToolCall;
  readonly found?: RegisteredTool;
  readonly argsText?: string;
  readonly effects?: readonly CanonicalEffect[];
  readonly taint?: readonly Label[];
  readonly facts?: DecisionFacts;
  readonly shadow?: Decision["shadow"];
  readonly deniedBy?: Decision;
}

/** The call waits for a person, or for another call that does. The turn ends and is started again. */
export class Parked {
  readonly callId: string;
  /** What it waits for; `undefined` when it only waits for an earlier call. */
  readonly waitingFor: string | undefined;

  constructor(callId: string, waitingFor?: string) {
    this.callId = callId;
    this.waitingFor = waitingFor;
  }
}

/** Why a call goes no further. */
export type Halted = Refused | Parked;

/** The call has a lock ticket: its position among the calls that touch the same. */
export interface QueuedCall extends AuthorizedCall {
  readonly lock: LockTicket;
  /** The names of the locks that it needs among all sessions. */
  readonly shared: readonly string[] | undefined;
  /** Of an approved call: the digest that its approval is bound to. */
  readonly digest?: string;
  /** Another program asks and runs it, and we do not learn the answer. */
  readonly isElsewhere?: true;
}

/** Gives a call to its next stage, unless it was halted before. Asynchronous only where a stage is. */
export function pass<Before extends object, After extends object, Turn>(
  before: Awaitable<Before | Halted>,
  stage: (call: Before, turn: Turn) => Awaitable<After | Halted>,
  turn: Turn,
): Awaitable<After | Halted> {
  if (before instanceof Promise) return passLater(before, stage, turn);
  if (before instanceof Refused || before instanceof Parked) return before;
  return stage(before, turn);
}

/** Apart from `pass`: a function that makes no closure costs nothing more than what it does. */
function passLater<Before extends object, After extends object, Turn>(
  before: Promise<Before | Halted>,
  stage: (call: Before, turn: Turn) => Awaitable<After | Halted>,
  turn: Turn,
): Promise<After | Halted> {
  return before.then((settled) => pass(settled, stage, turn));
}
