export {
  type ApprovalBinding,
  type ApprovalStatement,
  type Approvers,
  headlessApprover,
  type ProjectApprovals,
  type RememberedApproval,
  type SignedApproval,
} from "./contract/approval.ts";
export type { PolicyCall, PolicyTool } from "./contract/call.ts";
export type {
  CallCounter,
  CompiledCondition,
  ConditionError,
  ConditionFacts,
  ConditionLanguage,
  DecisionFacts,
  EarlierCalls,
} from "./contract/condition.ts";
export type {
  Authorizer,
  DecisionLayer,
  PolicyMode,
  StageMachine,
  StageVerdict,
} from "./contract/decision.ts";
export type { EffectBasis } from "./contract/effect.ts";
export type { DeniedAccess, PathDenies } from "./contract/path-denies.ts";
export type { PolicyContext, RepeatedCall } from "./contract/policy-context.ts";
export type { Ceiling, Variables } from "./contract/requirements.ts";
export type { Condition, RequiredApprovers, RuleScope } from "./contract/rule.ts";
export type { Objection, Watchdog, WatchdogSettings, WatchdogVerdict } from "./contract/watchdog.ts";
export type { Explained } from "./pipeline/evaluate-call.ts";
export {
  approvalStatement,
  type StatementInput,
  verifyApproval,
} from "./policy/approvals/approval-statement.ts";
export {
  approvalBroker,
  approverFromCallback,
  type GroupAnswerer,
  type GroupedApproval,
  groupedApprover,
} from "./policy/approvals/approvers.ts";
export { suggestRules } from "./policy/approvals/suggest-rules.ts";
export { compilePolicy, type Policy } from "./policy/compile-policy.ts";
export { ruleText } from "./policy/compile-rule.ts";
export { type ExplainedStep, type Explanation, explainText } from "./policy/explanation.ts";
export { type ParsedRule, type ParseRuleOptions, parseRule } from "./policy/grammar/parse-rule.ts";
export { differencesText, diffPolicies, type PolicyDifference } from "./policy/history/diff-policies.ts";
export { type ObservedCalls, observedCalls, observedText } from "./policy/history/observed-calls.ts";
export { previewRules, type RulePreview } from "./policy/history/preview-rules.ts";
export { type Recollection, type RecordedCall, recordedCalls } from "./policy/history/recorded-calls.ts";
export { type PolicyCallInput, policyCall, policyContext } from "./policy/policy-call.ts";
export { RECOMMENDED_POLICY } from "./policy/recommended.ts";
export { builtInWatchdogs } from "./policy/watchdogs/built-in.ts";
export { dangerousActions } from "./policy/watchdogs/dangerous-actions.ts";
export { type DriftOptions, definitionDrift, pinDefinitions } from "./policy/watchdogs/definition-drift.ts";
export { onlyTools, type ToolLists } from "./policy/watchdogs/only-tools.ts";
export { roleFlags } from "./policy/watchdogs/role-flags.ts";
