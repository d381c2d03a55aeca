import type { Action, Condition, RequiredApprovers } from "../../contract/policy/rule.ts";
import { readApprovers } from "./rule-approvers.ts";
import { readConditions } from "./rule-conditions.ts";
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
