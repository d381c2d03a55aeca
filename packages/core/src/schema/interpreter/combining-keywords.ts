import { attempt, fail, type Keyword, type KeywordUse, merge, type Outcome } from "./evaluation.ts";

/** Keywords that hold the same value against other schemas. */
export const COMBINING_KEYWORDS: Readonly<Record<string, Keyword>> = {
  allOf(use) {
    for (const schema of use.value as readonly unknown[])
      take(use, use.interpreter.evaluate(schema, use.position));
  },
  anyOf(use) {
    const outcomes = (use.value as readonly unknown[]).map((schema) => attempt(use, schema));
    const held = outcomes.filter(holds);
    for (const outcome of held) merge(use.outcome, outcome);
    if (held.length === 0) failAll(use, outcomes, "anyOf", "must match a schema in anyOf");
  },
  oneOf(use) {
    const outcomes = (use.value as readonly unknown[]).map((schema) => attempt(use, schema));
    const held = outcomes.filter(holds);
    const [only] = held;
    if (held.length === 1 && only !== undefined) merge(use.outcome, only);
    else failAll(use, held.length > 1 ? [] : outcomes, "oneOf", "must match exactly one schema in oneOf");
  },
  not(use) {
    if (holds(attempt(use, use.value))) fail(use, "not", {}, "must NOT be valid");
  },
  if(use) {
    const { then: consequence, else: alternative } = use.schema;
    const condition = attempt(use, use.value);
    const isTrue = holds(condition);
    if (isTrue) merge(use.outcome, condition);
    const branch = isTrue ? consequence : alternative;
    if (branch === undefined) return;
    const outcome = attempt(use, branch);
    merge(use.outcome, outcome);
    if (!holds(outcome)) failAll(use, [outcome], "if", `must match "${isTrue ? "then" : "else"}" schema`);
  },
};

/** Everything counts: what was found wrong, and what was looked at. */
export function take(use: KeywordUse, inner: Outcome): void {
  use.outcome.errors.push(...inner.errors);
  merge(use.outcome, inner);
}

function holds({ errors }: Outcome): boolean {
  return errors.length === 0;
}

function failAll(use: KeywordUse, outcomes: readonly Outcome[], keyword: string, message: string): void {
  use.outcome.errors.push(...outcomes.flatMap(({ errors }) => errors));
  fail(use, keyword, {}, message);
}
