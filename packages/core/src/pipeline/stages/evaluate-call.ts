import type { Failure } from "../../contract/call/result.ts";
import type {
  AuthorizedCall,
  CheckedCall,
  FoundCall,
  ScopedCall,
  ToolCall,
} from "../../contract/stages/call.ts";
import { type Explanation, explanationOf } from "../../policy/rules/explanation.ts";
import { type Awaitable, type Halted, Parked, pass, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";
import { admit } from "./admit.ts";
import { authorize, authorizeFirst, decide } from "./authorize.ts";
import { checkScope } from "./check-scope.ts";
import { contain } from "./contain.ts";
import { settleBeyond } from "./effects/beyond-scope.ts";
import { find } from "./find.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { validate } from "./validate.ts";

/**
 * The stages before a decision, in their order: admit, find, validate, resolve effects, check scope. Each function
 * runs one stage and all that follow it; a call that is evaluated again begins where it has changed.
 */
function fromAdmit(request: ToolCall, turn: Turn): Awaitable<ScopedCall | Halted> {
  return pass(admit(request, turn), fromFind, turn);
}

function fromFind(request: ToolCall, turn: Turn): Awaitable<ScopedCall | Halted> {
  return pass(find(request, turn), fromValidate, turn);
}

function fromValidate(call: FoundCall, turn: Turn): Awaitable<ScopedCall | Halted> {
  return pass(validate(call), fromResolve, turn);
}

function fromResolve(call: CheckedCall, turn: Turn): Awaitable<ScopedCall | Halted> {
  return pass(resolveEffects(call, turn), checkScope, turn);
}

/** A new call: everything that can be said before a person is asked and anything is done. */
export function evaluateCall(request: ToolCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  return pass(pass(fromAdmit(request, turn), authorizeFirst, turn), contain, turn);
}

/** The decision on a new call, without its consequences: nothing is marked, counted or recorded. */
export function previewCall(request: ToolCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  return pass(fromAdmit(request, turn), decide, turn);
}

/** The same call again: files and policy may have changed since it was evaluated. */
export function reevaluateCall(call: ScopedCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  return pass(fromResolve(call, turn), authorize, turn);
}

/** The call with other arguments, which makes it another call: it begins again at the schema. */
export function reevaluateWith(
  call: ScopedCall,
  args: Readonly<Record<string, unknown>>,
  turn: Turn,
): Awaitable<AuthorizedCall | Halted> {
  const request = { id: call.id, name: call.request.name, arguments: args };
  return pass(fromValidate({ id: call.id, request, found: call.found }, turn), authorize, turn);
}

/** The explanation of a decision; or the failure of a call that does not get as far as a decision. */
export type Explained =
  | { readonly explanation: Explanation; readonly failure?: undefined }
  | { readonly explanation?: undefined; readonly failure: Failure };

/** The chain behind the decision on a call, now or at another time. */
export async function explainCall(request: ToolCall, turn: Turn, at?: number): Promise<Explained> {
  const scoped = await fromFind(request, turn);
  if (scoped instanceof Refused) return { failure: scoped.failure };
  if (scoped instanceof Parked) throw new TypeError("A call cannot park before it is decided.");
  const { authorizer, sessionState } = turn.runtime;
  const today = sessionState.of(turn.principal);
  const context = at === undefined ? today : { ...today, now: at };
  const explanation =
    (await authorizer.explain?.(scoped, context)) ?? bare(scoped, await authorizer.decide(scoped, context));
  const decision = await settleBeyond(scoped, explanation.decision, context, turn);
  return {
    explanation: decision === explanation.decision ? explanation : narrowed(scoped, explanation, decision),
  };
}

/** The same chain with the question about what its tool does not require at its end. */
function narrowed(call: ScopedCall, { steps }: Explanation, decision: Explanation["decision"]): Explanation {
  const { action, layer, matchedBy, reason } = decision;
  const last = { layer, said: action, how: "narrows" as const, matchedBy };
  return explanationOf(call, decision, [...steps, { ...last, ...(reason === undefined ? {} : { reason }) }]);
}

/** An authorizer of the host application gives its decision and nothing more. */
function bare(call: ScopedCall, decision: Explanation["decision"]): Explanation {
  const { action, layer, matchedBy, reason } = decision;
  return explanationOf(call, decision, [
    { layer, said: action, how: "narrows", matchedBy, ...(reason === undefined ? {} : { reason }) },
  ]);
}
