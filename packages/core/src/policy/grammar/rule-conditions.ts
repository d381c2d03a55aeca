import type { Condition } from "../../contract/policy/rule.ts";
import { closestName } from "../../contract/values/diagnostic.ts";
import { POLICY_KEYWORDS } from "../rules/policy-keywords.ts";
import { isKeyword, RuleSyntaxError, type RuleToken } from "./rule-tokens.ts";

const PLAIN: ReadonlySet<string> = new Set(POLICY_KEYWORDS.plainFacts);
const NAMED: ReadonlySet<string> = new Set(POLICY_KEYWORDS.namedFacts);
const BASES: ReadonlySet<string> = new Set(POLICY_KEYWORDS.bases);
const FACTS = [...PLAIN, ...NAMED];

export interface ReadConditions {
  readonly conditions: readonly Condition[];
  /** Index of the first token after them. */
  readonly next: number;
}

/** Reads `fact {and fact}` after the `if` at `index`. @throws RuleSyntaxError. */
export function readConditions(tokens: readonly RuleToken[], index: number): ReadConditions {
  const conditions: Condition[] = [];
  let next = index;
  do {
    const read = readCondition(tokens, next + 1, tokens[next]);
    conditions.push(read.condition);
    next = read.next;
  } while (isKeyword(tokens[next], "and"));
  return { conditions, next };
}

function readCondition(
  tokens: readonly RuleToken[],
  index: number,
  before: RuleToken | undefined,
): { readonly condition: Condition; readonly next: number } {
  const isNot = isKeyword(tokens[index], "not");
  const at = isNot ? index + 1 : index;
  const fact = tokens[at];
  if (fact === undefined || fact.isQuoted) {
    const offset = fact?.at ?? (before?.at ?? 0) + (before?.text.length ?? 0);
    throw new RuleSyntaxError("A condition is missing here.", offset, `Write one of ${FACTS.join(", ")}.`);
  }
  const prefix = isNot ? "not " : "";
  if (PLAIN.has(fact.text)) return { condition: `${prefix}${fact.text}` as Condition, next: at + 1 };
  if (!NAMED.has(fact.text)) throw unknownFact(fact);
  const name = readName(fact, tokens[at + 1]);
  return { condition: `${prefix}${fact.text} ${name}` as Condition, next: at + 2 };
}

function readName(fact: RuleToken, name: RuleToken | undefined): string {
  if (name === undefined || isKeyword(name, "and") || name.text.trim() === "") {
    throw new RuleSyntaxError(
      `The condition \`${fact.text}\` needs a name.`,
      fact.at + fact.text.length,
      `Write e.g. \`${fact.text} ${fact.text === "known" ? "enforced" : "NAME"}\`.`,
    );
  }
  if (fact.text === "known" && !BASES.has(name.text)) {
    throw new RuleSyntaxError(
      `${JSON.stringify(name.text)} is not a basis of an effect.`,
      name.at,
      `Write ${[...BASES].join(", ")}.`,
    );
  }
  return name.text.trim();
}

function unknownFact({ text, at }: RuleToken): RuleSyntaxError {
  const closest = closestName(text, FACTS);
  const hint = closest === undefined ? `Write one of ${FACTS.join(", ")}.` : `Did you mean \`${closest}\`?`;
  return new RuleSyntaxError(`Unknown condition \`${text}\`.`, at, hint);
}
