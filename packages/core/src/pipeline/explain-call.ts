import type { ConfinedCall, ToolCall } from "../contract/call.ts";
import type { Failure } from "../contract/failure.ts";
import { type Explanation, explanationOf } from "../policy/explanation.ts";
import { checkScope } from "./check-scope.ts";
import { find } from "./find.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { Parked, pass, Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";
import { validate } from "./validate.ts";

/** One of the two. */
export type Explained =
  | { readonly explanation: Explanation; readonly failure?: undefined }
  | { readonly explanation?: undefined; readonly failure: Failure };

/** The chain behind the decision on a call; or the failure, where it does not get as far as a decision. */
export async function explainCall(request: ToolCall, turn: Turn): Promise<Explained> {
  const checked = pass(find(request, turn), validate, turn);
  const scoped = await pass(pass(checked, resolveEffects, turn), checkScope, turn);
  if (scoped instanceof Refused) return { failure: scoped.failure };
  if (scoped instanceof Parked) throw new TypeError("Nothing parks before it is decided.");
  const { authorizer, sessionState } = turn.runtime;
  const context = sessionState.of(turn.principal);
  const explanation =
    (await authorizer.explain?.(scoped, context)) ?? bare(scoped, await authorizer.decide(scoped, context));
  return { explanation };
}

/** An authorizer of the embedder's own says what it decides and no more. */
function bare(call: ConfinedCall, decision: Explanation["decision"]): Explanation {
  const { action, layer, matchedBy, reason } = decision;
  return explanationOf(call, decision, [
    { layer, said: action, how: "narrows", matchedBy, ...(reason === undefined ? {} : { reason }) },
  ]);
}
