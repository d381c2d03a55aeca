import type { Effect } from "../../contract/call/effect.ts";
import type { CallCounter, CompiledCondition, ConditionLanguage } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileGlob, kindOfTarget } from "../patterns/compile-glob.ts";
import { actionOf } from "./called-action.ts";
import type { Holds } from "./conditions.ts";
import { Permissions } from "./permissions.ts";

export interface CompiledWhen {
  readonly holds: Holds;
  readonly longestWindowMs: number;
}

/** Compiles the `when` of a rule. A text is why it cannot be. */
export function compileWhen(
  rule: Rule,
  patterns: readonly string[],
  language: ConditionLanguage | undefined,
): CompiledWhen | string {
  if (language === undefined) return NO_LANGUAGE;
  const condition = language.compile(rule.when ?? "");
  if (condition.error !== undefined) {
    const { error, offset, hint } = condition;
    return `its condition is invalid at character ${offset + 1}: ${error}${hint === undefined ? "" : ` ${hint}`}`;
  }
  return { holds: holdsOf(rule, patterns, condition), longestWindowMs: condition.longestWindowMs };
}

const NO_LANGUAGE =
  "`when` needs a language: give the policy `conditions: cel`, with `cel` of `@toolkeep/policy/cel`; policy files bring it";

function holdsOf(rule: Rule, patterns: readonly string[], condition: CompiledCondition): Holds {
  // What cannot be evaluated never permits more.
  const otherwise = rule.action !== "allow";
  const subject = `${rule.permission} ${JSON.stringify(rule.pattern ?? "*")}`;
  const counter = counterOf(rule, patterns);
  return (effect, context, moment) => {
    if (moment === undefined) return otherwise;
    try {
      const held: unknown = condition.holds({
        call: moment.call,
        effect,
        context,
        now: () => moment.now(),
        rate: (windowMs) => moment.rate(`${subject} ${windowMs / 1_000}s`, counter, windowMs),
      });
      if (typeof held === "boolean") return held;
      throw new Error("it is neither true nor false");
    } catch (error) {
      moment.fail(rule, error);
      return otherwise;
    }
  };
}

const NO_EFFECT: readonly Effect[] = [{ capability: "none", target: "" }];

/** Calls that the permission and the pattern of a rule match, in the wide sense that denies have. */
function counterOf({ permission, pattern }: Rule, patterns: readonly string[]): CallCounter {
  const named = new Permissions(new Map([[permission, true]]));
  const globs = patterns.map(compileGlob);
  const isMet = ({ target, capability }: Effect) =>
    pattern === undefined || globs.some((glob) => glob.mayMatch(target, kindOfTarget(capability)));
  return {
    matches(call) {
      const effects = call.effects.length === 0 ? NO_EFFECT : call.effects;
      const isNamed = permission === "*" || named.ofTool(call.found, actionOf(call)).length > 0;
      return effects.some(
        (effect) => (isNamed || named.ofCapability(effect.capability).length > 0) && isMet(effect),
      );
    },
  };
}
