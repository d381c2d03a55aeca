import type { Label } from "../../contract/call/result.ts";
import type { Rule, RuleScope } from "../../contract/policy/rule.ts";
import { defined } from "../../contract/values/defined.ts";
import { closestName } from "../../contract/values/error.ts";
import { resolvePattern, writtenRuleError } from "./rule-pattern.ts";
import { isKeyword, RuleSyntaxError, type RuleToken, tokensFrom } from "./rule-tokens.ts";

const LABELS = ["private", "untrusted"] as const satisfies readonly Label[];
const KEYWORD = /^\s*label(?=\s|$)/;

export interface LabelPlace {
  readonly file?: string;
  readonly line?: number;
  readonly scope?: RuleScope;
  readonly home?: string;
  readonly variables?: readonly string[];
}

/**
 * Reads `label private|untrusted "pattern" [because "…"]`; `undefined` for a line that begins otherwise. Relative paths
 * are in the workspace, and a leading `**` is anywhere, as in an ask.
 * @throws RuleSyntaxError.
 */
export function labelRule(
  line: string,
  { file, line: number = 1, scope, home, variables }: LabelPlace,
): Rule | undefined {
  const [keyword] = KEYWORD.exec(line) ?? [];
  if (keyword === undefined) return undefined;
  const [name, path, ...rest] = tokensFrom(line, keyword.length);
  const label = readLabel(name, keyword.length);
  if (path === undefined || isKeyword(path, "because"))
    throw new RuleSyntaxError(
      "A label needs a path.",
      line.length,
      `Write e.g. \`label ${label} "data/**"\`.`,
    );
  const rule: Rule = {
    permission: "fs.read",
    pattern: resolvePattern(path.text, {
      permission: "fs.read",
      action: "ask",
      at: path.at + Number(path.isQuoted),
      ...defined({ home, variables }),
    }),
    action: "ask",
    label,
    ...(scope === undefined ? {} : { scope }),
    ...reasonIn(rest),
    ...(file === undefined ? {} : { at: `${file}:${number}` }),
  };
  const error = writtenRuleError(rule);
  if (error !== undefined) throw new RuleSyntaxError(`The label is invalid: ${error}.`, path.at);
  return Object.freeze(rule);
}

function readLabel(token: RuleToken | undefined, at: number): Label {
  const label = LABELS.find((one) => isKeyword(token, one));
  if (label !== undefined) return label;
  const near = closestName(token?.text ?? "", LABELS);
  throw new RuleSyntaxError(
    token === undefined
      ? "The label is missing."
      : `A label is private or untrusted, not ${JSON.stringify(token.text)}.`,
    token?.at ?? at,
    near === undefined ? 'Write e.g. `label private "customers/**"`.' : `Did you mean \`${near}\`?`,
  );
}

function reasonIn(tokens: readonly RuleToken[]): Pick<Rule, "because"> {
  const [keyword, reason, more] = tokens;
  if (keyword === undefined) return {};
  const isReason = isKeyword(keyword, "because") && reason?.isQuoted === true && reason.text.trim() !== "";
  if (!isReason || more !== undefined) {
    const wrong = isReason ? more : keyword;
    throw new RuleSyntaxError(
      `Unexpected ${JSON.stringify(wrong?.text)}.`,
      wrong?.at ?? 0,
      'A label applies always: after the path, only because "…" can follow.',
    );
  }
  return { because: reason.text.trim() };
}
