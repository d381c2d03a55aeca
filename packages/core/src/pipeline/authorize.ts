import type { AuthorizedCall, ConfinedCall } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { errorText } from "../contract/error-text.ts";
import { ToolFailure } from "../contract/failure.ts";
import type { Label } from "../contract/result.ts";
import { failure } from "../results/runtime-failure.ts";
import { type Awaitable, Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** May it? A policy that fails to decide has decided: no. */
export function authorize(call: ConfinedCall, turn: Turn): Awaitable<AuthorizedCall | Refused> {
  try {
    const context = turn.runtime.sessionState.of(turn.principal);
    const taint = context.taint.size === 0 ? undefined : [...context.taint];
    const decision = turn.runtime.authorizer.decide(call, context);
    if (!(decision instanceof Promise)) return decided(call, decision, taint, turn);
    return decision.then(
      (late) => decided(call, late, taint, turn),
      (error: unknown) => undecided(call, error, turn),
    );
  } catch (error) {
    return undecided(call, error, turn);
  }
}

/** The same for a call that is made for the first time: repetitions are counted. */
export function propose(call: ConfinedCall, turn: Turn): Awaitable<AuthorizedCall | Refused> {
  const decided = authorize(call, turn);
  if (decided instanceof Promise) return decided.then((late) => counted(call, late, turn));
  return counted(call, decided, turn);
}

function counted<Decided>(call: ConfinedCall, decided: Decided, turn: Turn): Decided {
  // A turn that is resumed makes no call a second time.
  if (turn.record?.asked.has(call.id) !== true) turn.runtime.sessionState.propose(call);
  return decided;
}

/** The refusal of a call that policy or a person denied. */
export function denied(
  call: ConfinedCall & Pick<AuthorizedCall, "taint">,
  decision: Decision,
  turn: Turn,
): Refused {
  const message = decision.reason ?? `Denied: ${decision.matchedBy}.`;
  turn.runtime.hooks.permissionDenied(call, turn, message);
  return new Refused("authorize", failure("denied", message), { ...call, deniedBy: nameOf(decision) });
}

const names = new WeakMap<Decision, string>();

/** `layer: ground`. Decisions are kept and repeat, and so do their names. */
export function nameOf(decision: Decision): string {
  const known = names.get(decision);
  if (known !== undefined) return known;
  const name = `${decision.layer}: ${decision.matchedBy}`;
  names.set(decision, name);
  return name;
}

function decided(
  call: ConfinedCall,
  decision: Decision,
  taint: readonly Label[] | undefined,
  turn: Turn,
): AuthorizedCall | Refused {
  if (decision.action !== "allow" && decision.action !== "ask") {
    return denied(taint === undefined ? call : { ...call, taint }, decision, turn);
  }
  turn.runtime.sessionState.mark(call, decision);
  const { id, request, found, args, argsText, effects } = call;
  const base = { id, request, found, args, argsText, effects, decision };
  return (taint === undefined ? base : { ...base, taint }) as AuthorizedCall;
}

function undecided(call: ConfinedCall, error: unknown, turn: Turn): Refused {
  if (ToolFailure.isInstance(error)) {
    return new Refused("authorize", { code: error.code, message: error.message }, call);
  }
  const reason = `Denied: policy could not decide (${errorText(error)}).`;
  return denied(call, { action: "deny", layer: "default", matchedBy: "policy failed", reason }, turn);
}
