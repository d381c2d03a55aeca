import { failure } from "../../results/runtime-failure.ts";
import { type QueuedCall, Refused } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

/** Takes the call's cost from the budget, if the turn has one. */
export function reserve(call: QueuedCall, turn: Turn): QueuedCall | Refused {
  const { budget } = turn;
  if (budget === undefined || budget.charge(call.argsText)) return call;
  turn.runtime.hooks.notify("onTokenBudgetExceeded", call, turn);
  const message = `The budget of this turn is used up: ${budget.describe()}.`;
  return new Refused("reserve", failure("budget_exceeded", message), call);
}
