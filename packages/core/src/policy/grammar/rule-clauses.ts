import type { Action, Condition, RequiredApprovers } from "../../contract/policy/rule.ts";
import { closestName } from "../../contract/values/error.ts";
import { durationOf } from "../approvers/required-approvers.ts";
import { POLICY_KEYWORDS } from "../rules/policy-keywords.ts";
import { isKeyword, RuleSyntaxError, type RuleToken } from "./rule-tokens.ts";
import { readWhen } from "./rule-when.ts";

const CLAUSES = ["if", "when", "by", "never-remember", "because"] as const;

/** Whether a token begins a clause. */
export function isClause(token: RuleToken): boolean {
  return CLAUSES.some((keyword) => isKeyword(token, keyword));
}

/** What follows the pattern of a rule. */
interface Clauses {
  readonly if?: readonly Condition[];
  readonly when?: string;
  readonly approvers?: RequiredApprovers;
  readonly neverRemember?: true;
  readonly because?: string;
}

/** The clauses of a rule, from a token on. @throws RuleSyntaxError */
export function readClauses(tokens: readonly RuleToken[], from: number, action: Action): Clauses {
  let clauses: Clauses = {};
  let index = from;
  for (let token = tokens[index]; token !== undefined; token = tokens[index]) {
    const read = readClause(tokens, index, token, action);
    if (Object.keys(read.clause).some((key) => key in clauses)) {
      throw new RuleSyntaxError(`\`${token.text}\` appears twice.`, token.at, "Join conditions with `and`.");
    }
    clauses = { ...clauses, ...read.clause };
    index = read.next;
  }
  return clauses;
}

function readClause(
  tokens: readonly RuleToken[],
  index: number,
  token: RuleToken,
  action: Action,
): { readonly clause: Clauses; readonly next: number } {
  if (isKeyword(token, "if")) {
    const { conditions, next } = readConditions(tokens, index);
    return { clause: { if: conditions }, next };
  }
  if (isKeyword(token, "by")) {
    const { approvers, next } = readApprovers(tokens, index, action);
    return { clause: { approvers }, next };
  }
  if (isKeyword(token, "never-remember")) {
    if (action === "ask") return { clause: { neverRemember: true }, next: index + 1 };
    throw new RuleSyntaxError(
      "Only an `ask` rule can be never-remember.",
      token.at,
      "Remove `never-remember`, or write `ask`.",
    );
  }
  if (isKeyword(token, "when")) return { clause: { when: readWhen(tokens, index) }, next: index + 2 };
  const reason = tokens[index + 1];
  if (!isKeyword(token, "because")) {
    throw new RuleSyntaxError(
      `Unexpected ${JSON.stringify(token.text)}.`,
      token.at,
      "Join conditions with `and`.",
    );
  }
  if (reason?.isQuoted && reason.text.trim() !== "")
    return { clause: { because: reason.text.trim() }, next: index + 2 };
  throw new RuleSyntaxError(
    "`because` needs a reason in quotes.",
    token.at + token.text.length,
    'Write e.g. `because "ask the owner"`.',
  );
}

const EXAMPLE = "Write e.g. `by group payments` or `by 2 of group payments within 1h`.";

/** Reads `by [N of] group NAME [within 1h]` at `index`. @throws RuleSyntaxError. */
function readApprovers(
  tokens: readonly RuleToken[],
  index: number,
  action: Action,
): { readonly approvers: RequiredApprovers; readonly next: number } {
  const by = tokens[index] as RuleToken;
  if (action !== "ask")
    throw new RuleSyntaxError("Only an `ask` rule can say by whom it is approved.", by.at, "Write `ask`.");
  const many = tokens[index + 1];
  const isCounted = isKeyword(tokens[index + 2], "of");
  const count = isCounted ? countOf(many) : 1;
  const at = index + (isCounted ? 3 : 1);
  const name = tokens[at + 1];
  if (count === undefined || !isKeyword(tokens[at], "group") || name === undefined || name.text.trim() === "")
    throw new RuleSyntaxError("`by` needs a group.", many?.at ?? by.at + by.text.length, EXAMPLE);
  const approvers = { group: name.text.trim(), count };
  if (!isKeyword(tokens[at + 2], "within")) return { approvers, next: at + 2 };
  const time = tokens[at + 3];
  const withinMs = time === undefined || time.isQuoted ? undefined : durationOf(time.text);
  if (withinMs === undefined || withinMs === 0)
    throw new RuleSyntaxError(
      "`within` needs a time.",
      time?.at ?? name.at + name.text.length,
      "Write e.g. `within 30m`, `within 1h` or `within 2d`.",
    );
  return { approvers: { ...approvers, withinMs }, next: at + 4 };
}

function countOf(token: RuleToken | undefined): number | undefined {
  return token !== undefined && !token.isQuoted && /^[1-9]\d?$/.test(token.text)
    ? Number(token.text)
    : undefined;
}

const PLAIN: ReadonlySet<string> = new Set(POLICY_KEYWORDS.plainFacts);
const NAMED: ReadonlySet<string> = new Set(POLICY_KEYWORDS.namedFacts);
const BASES: ReadonlySet<string> = new Set(POLICY_KEYWORDS.bases);
const FACTS = [...PLAIN, ...NAMED];

interface ReadConditions {
  readonly conditions: readonly Condition[];
  /** Index of the first token after them. */
  readonly next: number;
}

/** Reads `fact {and fact}` after the `if` at `index`. @throws RuleSyntaxError. */
function readConditions(tokens: readonly RuleToken[], index: number): ReadConditions {
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
