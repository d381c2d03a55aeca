import type { Action } from "../contract/policy/rule.ts";
import type { ExplainedStep } from "./rules/explanation.ts";
import { isStricter } from "./rules/rule-set.ts";

/** Evaluates the steps again, without the policy that made them. */
export function conclusionOf(steps: readonly ExplainedStep[]): Action {
  let action: Action = "allow";
  let isFinal = false;
  for (const { said, how, isFinal: final } of steps) {
    if (said === "nothing") continue;
    const before: Action = action;
    if (how === "narrows") action = isStricter(said, before) ? said : before;
    else if (how === "answers") action = before === "ask" ? said : before;
    else action = isFinal ? before : said;
    isFinal ||= final === true;
  }
  return action;
}
