import type { Condition } from "@toolkeep/core";
import { POLICY_KEYWORDS } from "@toolkeep/core/policy";
import { nearest } from "./diagnostic.ts";
import { RuleSyntaxError } from "./rule-syntax-error.ts";
import type { RuleWord } from "./rule-words.ts";

const PLAIN: ReadonlySet<string> = new Set(POLICY_KEYWORDS.plainFacts);
const NAMED: ReadonlySet<string> = new Set(POLICY_KEYWORDS.namedFacts);
const BASES: ReadonlySet<string> = new Set(POLICY_KEYWORDS.bases);

export interface ReadConditions {
  readonly conditions: readonly Condition[];
  /** The first word that is no part of them. */
  readonly next: number;
}

/** Reads `fact {and fact}` behind the `if` at `index`. @throws RuleFault. */
export function readConditions(words: readonly RuleWord[], index: number): ReadConditions {
  const conditions: Condition[] = [];
  let next = index;
  do {
    const read = readCondition(words, next + 1, words[next]);
    conditions.push(read.condition);
    next = read.next;
  } while (isWord(words[next], "and"));
  return { conditions, next };
}

function readCondition(
  words: readonly RuleWord[],
  index: number,
  before: RuleWord | undefined,
): { readonly condition: Condition; readonly next: number } {
  const isNot = isWord(words[index], "not");
  const at = isNot ? index + 1 : index;
  const fact = words[at];
  if (fact === undefined || fact.isQuoted) {
    const place = fact?.at ?? (before?.at ?? 0) + (before?.text.length ?? 0);
    throw new RuleSyntaxError(
      "A condition is missing here.",
      place,
      `Write one of ${[...PLAIN, ...NAMED].join(", ")}.`,
    );
  }
  const prefix = isNot ? "not " : "";
  if (PLAIN.has(fact.text)) return { condition: `${prefix}${fact.text}` as Condition, next: at + 1 };
  if (!NAMED.has(fact.text)) throw unknownFact(fact);
  const name = readName(fact, words[at + 1]);
  return { condition: `${prefix}${fact.text} ${name}` as Condition, next: at + 2 };
}

function readName(fact: RuleWord, name: RuleWord | undefined): string {
  if (name === undefined || (!name.isQuoted && name.text === "and") || name.text.trim() === "") {
    throw new RuleSyntaxError(
      `The condition \`${fact.text}\` needs a name.`,
      fact.at + fact.text.length,
      `Write e.g. \`${fact.text} ${fact.text === "known" ? "enforced" : "NAME"}\`.`,
    );
  }
  if (fact.text === "known" && !BASES.has(name.text)) {
    throw new RuleSyntaxError(
      `An effect is never known as ${JSON.stringify(name.text)}.`,
      name.at,
      `Write ${[...BASES].join(", ")}.`,
    );
  }
  return name.text.trim();
}

function unknownFact({ text, at }: RuleWord): RuleSyntaxError {
  const known = [...PLAIN, ...NAMED];
  const near = nearest(text, known);
  const instead = near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
  return new RuleSyntaxError(`Nobody knows the condition \`${text}\`.`, at, instead);
}

export function isWord(word: RuleWord | undefined, text: string): boolean {
  return word !== undefined && !word.isQuoted && word.text === text;
}
