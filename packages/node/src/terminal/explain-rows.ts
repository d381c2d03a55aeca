import type { ApprovalRequest } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { ruleText } from "@toolkeep/core/policy";
import { BAR, type PromptRow, wrapped } from "./prompt-rows.ts";

const LONGEST = 10_000;

/** What `?` adds to a prompt: the ids, what asks, the effects as rules name them, the rules, and the keys. */
export function explainRows(request: ApprovalRequest, columns: number): readonly PromptRow[] {
  const { id, sessionId, askedBy, effects, exactRules = [], suggestions } = request;
  const item = (text: string) => wrapped(visible(text, LONGEST), { first: BAR, columns });
  const title = (text: string) => wrapped(text, { columns, tone: "title" });
  return [
    ...title("EXPLANATION"),
    { text: "Request, session, and what asks:" },
    ...[id, sessionId, askedBy.join(", ")].flatMap(item),
    { text: "The effects, as rules name them, and how they are known:" },
    ...effects.flatMap(({ capability, target, known = "declared" }) =>
      item(`${capability} ${target} (${known})`),
    ),
    ...(exactRules.length === 0 ? [] : [{ text: "Rules that allow this call and no other:" }]),
    ...exactRules.flatMap((rule) => item(ruleText(rule))),
    ...(suggestions.length === 0 ? [] : [{ text: "Wider rules, which allow similar calls too:" }]),
    ...suggestions.flatMap((rule) => item(ruleText(rule))),
    ...KEYS.flatMap((text) => wrapped(text, { columns })),
  ];
}

const KEYS: readonly string[] = [
  "[y] allows this call and no other. [n] and Ctrl-C reject it; [w] also tells the model why. [e] runs another command instead, if the policy does not deny it.",
  "[s] and [p] allow it again without a prompt, as the prompt describes: in this session, or in this project until it is revoked.",
];
