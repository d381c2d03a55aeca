/** What a rule in its object form can have. */
export const RULE_FIELDS = new Set([
  "permission",
  "pattern",
  "action",
  "scope",
  "if",
  "when",
  "neverRemember",
  "approvers",
  "final",
  "yieldsToDeny",
  "yieldsToAsk",
  "because",
  "at",
  "label",
]);

/** What the definition of a policy can have. */
export const POLICY_FIELDS = new Set([
  "mode",
  "rules",
  "shadow",
  "allowList",
  "watchdogs",
  "builtIn",
  "stages",
  "locks",
  "conditions",
  "variables",
]);
