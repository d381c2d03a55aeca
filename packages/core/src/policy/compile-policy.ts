import type { JudgedCall } from "../contract/call.ts";
import type { Circumstances } from "../contract/circumstances.ts";
import type { Authorizer, Decision, PolicyDefinition, PolicyMode } from "../contract/decision.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Rule } from "../contract/rule.ts";
import type { Watchdog } from "../contract/watchdog.ts";
import { afterMode, unlessUngated } from "./after-mode.ts";
import { type AllowList, compileAllowList } from "./allow-list.ts";
import { andThen } from "./and-then.ts";
import { askStages } from "./ask-stages.ts";
import { type ExplainedStep, type Explanation, explanationOf } from "./explanation.ts";
import type { Hearing } from "./hearing.ts";
import { POLICY_WORDS } from "./policy-words.ts";
import { RuleJudge } from "./rule-judge.ts";
import { compileRules } from "./rule-set.ts";
import { underWatchdogs } from "./under-watchdogs.ts";
import { shippedWatchdogs } from "./watchdogs/shipped.ts";

/** A policy that decides. Pure: the same call under the same circumstances is decided the same. */
export interface Policy extends Authorizer {
  readonly mode: PolicyMode;
  readonly definition: PolicyDefinition;
  /** The same with more rules. @throws ToolkeepError `invalid_rule`. */
  withRules(rules: readonly Rule[]): Policy;
  /** The whole chain behind the decision. */
  explain(call: JudgedCall, circumstances: Circumstances): Promise<Explanation>;
}

const MODES: ReadonlySet<string> = new Set(POLICY_WORDS.modes);

/**
 * Makes a policy decide: rules, then the stage machine, what is not gated, the mode, the watchdogs.
 * @throws ToolkeepError `invalid_rule`, `invalid_option`.
 */
export function compilePolicy(definition: PolicyDefinition = {}): Policy {
  const { mode = "ask", rules = [], variables = {}, stages } = definition;
  assertKnown(definition);
  const watchdogs = watchdogsOf(definition);
  const allowList = allowListOf(definition);
  const all = allowList === undefined ? rules : [...rules, ...allowList.rules];
  const judge = new RuleJudge(compileRules(all, variables));

  function decide(hearing: Hearing): Decision | Promise<Decision> {
    const byRules = judge.decide(hearing);
    // Most calls: what the rules allow, only a watchdog may still mind.
    if (byRules.action === "allow") return underWatchdogs(watchdogs, mode, byRules, hearing);
    return andThen(askStages(stages, byRules, hearing), (decision) => {
      const settled = afterMode(mode, allowList, unlessUngated(decision, hearing), hearing);
      return andThen(settled, (one) => underWatchdogs(watchdogs, mode, one, hearing));
    });
  }

  return {
    mode,
    definition,
    withRules: (more) => compilePolicy({ ...definition, rules: [...rules, ...more] }),
    decide: (call, circumstances) => decide({ call, circumstances, trace: undefined }),
    leavesOut: (call, circumstances) => judge.leavesOut({ call, circumstances }, mode),
    pathDenies: (call, circumstances) => judge.pathDenies({ call, circumstances }, mode),
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

/** Those that ship come first: what they deny nobody else is asked about. */
function watchdogsOf({ mode, shipped, watchdogs = [] }: PolicyDefinition): readonly Watchdog[] {
  if (shipped === "off") return watchdogs;
  // Where everything is allowed, nothing was allowed because of what it used to run.
  const settings = mode === "yolo" ? { "changed-scripts": "off" as const, ...shipped } : shipped;
  return [...shippedWatchdogs(settings), ...watchdogs];
}

const KEYS = new Set(["mode", "rules", "allowList", "watchdogs", "shipped", "stages", "variables"]);

/** A word that nobody reads may have been a deny. */
function assertKnown(definition: PolicyDefinition): void {
  const foreign = Object.keys(definition).find((key) => !KEYS.has(key));
  if (foreign === undefined) return;
  throw new ToolkeepError("invalid_option", `A policy has no field ${JSON.stringify(foreign)}.`);
}
