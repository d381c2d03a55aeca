import type { Action, RequiredApprovers } from "../../contract/policy/rule.ts";
import { durationOf } from "../approvers/required-approvers.ts";
import { isKeyword, RuleSyntaxError, type RuleToken } from "./rule-tokens.ts";

const EXAMPLE = "Write e.g. `by group payments` or `by 2 of group payments within 1h`.";

/** Reads `by [N of] group NAME [within 1h]` at `index`. @throws RuleSyntaxError. */
export function readApprovers(
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
