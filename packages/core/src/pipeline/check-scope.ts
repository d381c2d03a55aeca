import type { ResolvedCall, ScopedCall } from "../contract/call.ts";
import type { Effect } from "../contract/effect.ts";
import { failure } from "../results/runtime-failure.ts";
import { Refused } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Effects must lie within what the tool requires, and within the ceiling. */
export function checkScope(call: ResolvedCall, turn: Turn): ScopedCall | Refused {
  const { scope } = turn.runtime;
  const requirements = scope.requirementsOf(call.found);
  const { effects } = call;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index] as Effect;
    if (!requirements.covers(effect))
      return outOfScope(call, effect, `what ${call.found.name} requires`, turn);
    if (!scope.isWithinCeiling(effect)) return outOfScope(call, effect, "the ceiling of this session", turn);
  }
  return call as ScopedCall;
}

function outOfScope(call: ResolvedCall, effect: Effect, limit: string, turn: Turn): Refused {
  const why = turn.runtime.scope
    .emptyVariablesOf(call.found)
    .map((name) => ` {${name}} stands for nothing in this session: give it \`variables\`.`);
  const message = `${effect.capability} on ${JSON.stringify(effect.target)} is outside ${limit}.${why.join("")}`;
  return new Refused("check-scope", failure("out_of_scope", message), call);
}
