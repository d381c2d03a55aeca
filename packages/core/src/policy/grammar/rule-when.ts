import type { ConditionLanguage } from "../../contract/policy/decision.ts";
import { isKeyword, RuleSyntaxError, type RuleToken } from "./rule-tokens.ts";

/** The expression after the `when` at `index`. @throws RuleSyntaxError. */
export function readWhen(tokens: readonly RuleToken[], index: number): string {
  const [when, expression] = [tokens[index], tokens[index + 1]];
  if (expression?.isQuoted && expression.text.trim() !== "") return expression.text.trim();
  throw new RuleSyntaxError(
    "`when` needs an expression in quotes.",
    (when?.at ?? 0) + (when?.text.length ?? 0),
    'Write e.g. `when "args.amount > 100"`.',
  );
}

/** Compiles the expression, so that an error is shown where it is written. @throws RuleSyntaxError. */
export function checkWhen(
  tokens: readonly RuleToken[],
  when: string | undefined,
  { conditions }: { readonly conditions?: ConditionLanguage },
): void {
  const compiled = when === undefined ? undefined : conditions?.compile(when);
  if (compiled?.error === undefined) return;
  const { error, offset, hint } = compiled;
  const quoted = tokens[tokens.findIndex((token) => isKeyword(token, "when")) + 1];
  // Escapes and white space before it are not counted: the place is that of most expressions.
  throw new RuleSyntaxError(`The condition is invalid: ${error}`, (quoted?.at ?? 0) + 1 + offset, hint);
}
