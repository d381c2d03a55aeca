import type {
  CompiledCondition,
  ConditionError,
  ConditionFacts,
  ConditionLanguage,
} from "@toolkeep/core/policy";
import { activation } from "./activation.ts";
import { checkExpression, ExpressionError, type ExpressionUse } from "./check-expression.ts";
import { celEnvironment, during } from "./environment.ts";
import { withLinearFunctions } from "./linear-functions.ts";

const LONGEST = 1_000;
const MOST_REMEMBERED = 1_000;

const remembered = new Map<string, CompiledCondition | ConditionError>();

/**
 * The language of `when` in rules: CEL, without what takes more time than the arguments are long. Policy files bring
 * it; for rules in code, give it to the policy.
 *
 * @example
 * const policy = { rules: ['ask payments.send "*" when "args.amount > 100"'], conditions: cel };
 */
export const cel: ConditionLanguage = Object.freeze({
  compile(text: string): CompiledCondition | ConditionError {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const compiled = compile(text);
    remembered.set(text, compiled);
    return compiled;
  },
});

function compile(text: string): CompiledCondition | ConditionError {
  if (text.length > LONGEST)
    return { error: `A condition has at most ${LONGEST} characters.`, offset: LONGEST };
  try {
    const use = checkExpression(celEnvironment().parse(text).ast);
    const expression = celEnvironment().parse(withLinearFunctions(text));
    // By the tree and not by the text: no function of the library that grows faster is left.
    checkExpression(expression.ast, { isLinear: true });
    const { valid, type, error } = expression.check();
    if (!valid) throw error ?? new Error("The types do not fit.");
    if (type !== "bool" && type !== "dyn")
      throw new ExpressionError(`It is a ${type ?? "value"}, and neither true nor false.`, 0);
    return Object.freeze({
      longestWindowMs: use.longestWindowMs,
      holds: (facts: ConditionFacts) => holds(expression, use, facts),
    });
  } catch (error) {
    return Object.freeze(errorOf(error));
  }
}

function holds(
  expression: (variables: Readonly<Record<string, unknown>>) => unknown,
  use: ExpressionUse,
  facts: ConditionFacts,
): boolean {
  const value = during(facts, () => expression(activation(use, facts)));
  if (typeof value === "boolean") return value;
  throw new Error("it is neither true nor false");
}

/** Errors of the library have a summary, and where they are. */
function errorOf(error: unknown): ConditionError {
  if (error instanceof ExpressionError) {
    const { message, offset, hint } = error;
    return { error: message, offset, ...(hint === undefined ? {} : { hint }) };
  }
  const { summary, range, message } = error as Error & {
    readonly summary?: string;
    readonly range?: { readonly start?: number };
  };
  const said = (summary ?? message).split("\n")[0] ?? "";
  return { error: `${said.replace(/\.$/, "")}.`, offset: range?.start ?? 0 };
}
