import type { AuthorizedCall, ConfinedCall } from "../contract/call.ts";
import { authorize } from "./authorize.ts";
import { checkScope } from "./check-scope.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { type Awaitable, type Halted, pass } from "./stage.ts";
import type { Turn } from "./turn.ts";
import { validate } from "./validate.ts";

/** The same call under today's world and policy. */
export function decideAgain(call: ConfinedCall, turn: Turn): Awaitable<AuthorizedCall | Halted> {
  return pass(pass(resolveEffects(call, turn), checkScope, turn), authorize, turn);
}

/** Other arguments are another call: it starts again at the schema. */
export function decideChanged(
  call: ConfinedCall,
  args: Readonly<Record<string, unknown>>,
  turn: Turn,
): Awaitable<AuthorizedCall | Halted> {
  const request = { id: call.id, name: call.request.name, arguments: args };
  const checked = validate({ id: call.id, request, found: call.found });
  return pass(pass(pass(checked, resolveEffects, turn), checkScope, turn), authorize, turn);
}
