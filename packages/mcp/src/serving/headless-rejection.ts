import type { ApprovalAnswer, ApprovalRequest, Rule } from "@toolkeep/core";
import { HEADLESS_DENIAL } from "@toolkeep/core/internal";

const MOST_RULES = 3;
const LONGEST_PATTERN = 200;

/** A rejection because no approver can be reached, with the rule that would allow the call. */
export function headlessRejection(request: ApprovalRequest): ApprovalAnswer {
  const message = `${HEADLESS_DENIAL} Approval is required because: ${sentence(request.reason)} ${grantOf(request)}`;
  return { verdict: "reject", message, by: "headless" };
}

function grantOf({ toolName, suggestions, askedBy }: ApprovalRequest): string {
  const others = askedBy.filter((asker) => asker !== "rules");
  if (others.length > 0)
    return `No policy rule alone can allow it, because ${others.join(" and ")} asked: an approver must be reachable.`;
  const rules: readonly Rule[] =
    suggestions.length > 0 ? suggestions : [{ permission: toolName, action: "allow" }];
  const shown = rules.slice(0, MOST_RULES).map(ruleText);
  const more = rules.length > shown.length ? `, and ${rules.length - shown.length} more` : "";
  return `To allow it without approval, allow this in the policy: ${shown.join(", ")}${more}.`;
}

function ruleText({ permission, pattern }: Rule): string {
  return JSON.stringify({
    permission,
    ...(pattern === undefined ? {} : { pattern: pattern.slice(0, LONGEST_PATTERN) }),
    action: "allow",
  });
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
