import type { ConfinedCall, ToolCall } from "../contract/call.ts";
import type { Failure } from "../contract/failure.ts";
import { type Explanation, explanationOf } from "../policy/explanation.ts";
import { check } from "./check.ts";
import { confine } from "./confine.ts";
import { find } from "./find.ts";
import { foresee } from "./foresee.ts";
import { Parked, pass, Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** One of the two. */
export type Explained =
  | { readonly explanation: Explanation; readonly failure?: undefined }
  | { readonly explanation?: undefined; readonly failure: Failure };

/** The chain behind the decision on a call; or the failure, where it does not get as far as a decision. */
export async function explainCall(request: ToolCall, turn: Turn): Promise<Explained> {
  const checked = pass(find(request, turn), check, turn);
  const confined = await pass(pass(checked, foresee, turn), confine, turn);
  if (confined instanceof Refused) return { failure: confined.failure };
  if (confined instanceof Parked) throw new TypeError("Nothing parks before it is decided.");
  const { authorizer, surroundings } = turn.runtime;
  const circumstances = surroundings.of(turn.principal);
  const explanation =
    (await authorizer.explain?.(confined, circumstances)) ??
    bare(confined, await authorizer.decide(confined, circumstances));
  return { explanation };
}

/** An authorizer of the embedder's own says what it decides and no more. */
function bare(call: ConfinedCall, decision: Explanation["decision"]): Explanation {
  const { action, layer, ground, reason } = decision;
  return explanationOf(call, decision, [
    { layer, said: action, how: "narrows", ground, ...(reason === undefined ? {} : { reason }) },
  ]);
}
