import type { JudgedCall } from "../contract/call.ts";
import type { Circumstances } from "../contract/circumstances.ts";
import type { Authorizer, Decision, PolicyDefinition, PolicyMode } from "../contract/decision.ts";
import { ToolkeepError } from "../contract/error.ts";
import { type AllowList, compileAllowList } from "./allow-list.ts";
import { andThen } from "./and-then.ts";
import { afterMode, unlessUngated } from "./by-mode.ts";
import { RuleJudge } from "./by-rules.ts";
import { askStages } from "./by-stages.ts";
import { underWatchdogs } from "./by-watchdogs.ts";
import { type ExplainedStep, type Explanation, explanationOf } from "./explanation.ts";
import type { Hearing } from "./hearing.ts";
import { compileRules } from "./rule-set.ts";
import { shippedWatchdogs } from "./watchdogs/shipped.ts";

/** A policy that decides. Pure: the same call under the same circumstances is decided the same. */
export interface Policy extends Authorizer {
  readonly mode: PolicyMode;
  readonly definition: PolicyDefinition;
  /** The whole chain behind the decision. */
  explain(call: JudgedCall, circumstances: Circumstances): Promise<Explanation>;
}

const MODES: ReadonlySet<string> = new Set<PolicyMode>(["ask", "allowlist", "yolo", "observe"]);

/**
 * Makes a policy decide: rules, then the stage machine, what is not gated, the mode, the watchdogs.
 * @throws ToolkeepError `invalid_rule`, `invalid_option`.
 */
export function compilePolicy(definition: PolicyDefinition = {}): Policy {
  const { mode = "ask", rules = [], variables = {}, stages } = definition;
  const watchdogs = definition.watchdogs ?? shippedWatchdogs();
  const allowList = allowListOf(definition);
  const all = allowList === undefined ? rules : [...rules, ...allowList.rules];
  const judge = new RuleJudge(compileRules(all, variables));

  function decide(hearing: Hearing): Decision | Promise<Decision> {
    const staged = askStages(stages, judge.decide(hearing), hearing);
    return andThen(staged, (decision) => {
      const settled = afterMode(mode, allowList, unlessUngated(decision, hearing), hearing);
      return andThen(settled, (one) => underWatchdogs(watchdogs, mode, one, hearing));
    });
  }

  return {
    mode,
    definition,
    decide: (call, circumstances) => decide({ call, circumstances, trace: undefined }),
    async explain(call, circumstances) {
      const steps: ExplainedStep[] = [];
      const decision = await decide({ call, circumstances, trace: steps });
      return explanationOf(call, decision, steps);
    },
  };
}

function allowListOf({ mode = "ask", allowList }: PolicyDefinition): AllowList | undefined {
  if (!MODES.has(mode)) {
    throw new ToolkeepError(
      "invalid_option",
      `The mode ${JSON.stringify(mode)} is none of ask, allowlist, yolo, observe.`,
    );
  }
  if (allowList === undefined) return undefined;
  if (mode !== "allowlist") {
    throw new ToolkeepError(
      "invalid_option",
      `An allow-list counts in the mode "allowlist" alone; the mode is ${JSON.stringify(mode)}.`,
    );
  }
  return compileAllowList(allowList);
}
