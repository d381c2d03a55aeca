import { type Label, ToolFailure } from "../../contract/call/result.ts";
import type { Decision, PolicyContext } from "../../contract/policy/decision.ts";
import type { AuthorizedCall, ScopedCall } from "../../contract/stages/call.ts";
import { defined } from "../../contract/values/defined.ts";
import { errorText } from "../../contract/values/error.ts";
import { failure } from "../../results/runtime-failure.ts";
import { type Awaitable, type Halted, pass, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { settleBeyond } from "./effects/beyond-scope.ts";

/** The policy's decision, without consequences. A policy that fails to decide denies. */
export function decide(call: ScopedCall, turn: Turn): Awaitable<AuthorizedCall | Refused> {
  try {
    const context = turn.runtime.sessionState.again(call, turn.principal, turn.id);
    const taint = context.taint.size === 0 ? undefined : [...context.taint];
    const decision = decisionOn(call, context, turn);
    return decision instanceof Promise
      ? decidedLater(call, decision, taint, turn)
      : decided(call, decision, taint);
  } catch (error) {
    return undecided(call, error, turn);
  }
}

function decidedLater(
  call: ScopedCall,
  decision: Promise<Decision>,
  taint: readonly Label[] | undefined,
  turn: Turn,
): Promise<AuthorizedCall | Refused> {
  return decision.then(
    (late) => decided(call, late, taint),
    (error: unknown) => undecided(call, error, turn),
  );
}

function decisionOn(call: ScopedCall, context: PolicyContext, turn: Turn): Awaitable<Decision> {
  const { authorizer, sessionState } = turn.runtime;
  const decision =
    authorizer.longestWindowMs === undefined
      ? authorizer.decide(call, context)
      : sessionState.deciding(call, turn.id, () => authorizer.decide(call, context));
  if (call.beyond === undefined) return decision;
  return decision instanceof Promise
    ? decision.then((late) => settleBeyond(call, late, context, turn))
    : settleBeyond(call, decision, context, turn);
}

function decided(call: ScopedCall, decision: Decision, taint: readonly Label[] | undefined): AuthorizedCall {
  const { facts, shadow } = decision;
  if (facts !== undefined || shadow !== undefined)
    return { ...call, decision, ...defined({ facts, shadow, taint }) };
  return taint === undefined ? { ...call, decision } : { ...call, decision, taint };
}

/** Decides, refuses what is denied, and marks what the call takes in or touches. */
export function authorize(call: ScopedCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  return pass(decide(call, turn), accept, turn);
}

/** The same for a call that is made for the first time: it counts for the detection of repeated calls. */
export function authorizeFirst(call: ScopedCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  const authorized = authorize(call, turn);
  return authorized instanceof Promise
    ? countedLater(call, authorized, turn)
    : counted(call, authorized, turn);
}

function countedLater<Decided>(call: ScopedCall, late: Promise<Decided>, turn: Turn): Promise<Decided> {
  return late.then((decided) => counted(call, decided, turn));
}

/** Draws the consequences of a decision that was made for the first time. */
export function acceptFirst(call: AuthorizedCall, turn: Turn): AuthorizedCall | Refused {
  return counted(call, accept(call, turn), turn);
}

function accept(call: AuthorizedCall, turn: Turn): AuthorizedCall | Refused {
  const { decision } = call;
  if (decision.action !== "allow" && decision.action !== "ask") return denied(call, decision, turn);
  turn.runtime.sessionState.mark(call, decision, turn.id);
  return call;
}

function counted<Decided>(call: ScopedCall, decided: Decided, turn: Turn): Decided {
  // A turn that is resumed makes no call a second time.
  if (turn.record?.asked.has(call.id) !== true) turn.runtime.sessionState.propose(call);
  return decided;
}

/** The refusal of a call that the policy or a person denied. */
export function denied(
  call: ScopedCall & Pick<AuthorizedCall, "taint" | "facts" | "shadow">,
  decision: Decision,
  turn: Turn,
): Refused {
  const message = decision.reason ?? `Denied: ${decision.matchedBy}.`;
  turn.runtime.hooks.notify("onPermissionDenied", call, turn, { error: message });
  return new Refused("authorize", failure("denied", message), { ...call, deniedBy: decision });
}

const names = new WeakMap<Decision, string>();

/** `layer: matchedBy`. Decisions are cached and repeat, and so do their names. */
export function nameOf(decision: Decision): string {
  const known = names.get(decision);
  if (known !== undefined) return known;
  const name = `${decision.layer}: ${decision.matchedBy}`;
  names.set(decision, name);
  return name;
}

function undecided(call: ScopedCall, error: unknown, turn: Turn): Refused {
  if (ToolFailure.isInstance(error)) {
    return new Refused("authorize", { code: error.code, message: error.message }, call);
  }
  const reason = `Denied: policy could not decide (${errorText(error)}).`;
  return denied(call, { action: "deny", layer: "default", matchedBy: "policy failed", reason }, turn);
}
