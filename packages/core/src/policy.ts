export type {
  ApprovalBinding,
  ApprovalStatement,
  Approvers,
  ProjectApprovals,
  RememberedApproval,
  SignedApproval,
  StoredApproval,
} from "./contract/approval/approval.ts";
export type { Ceiling, DeniedAccess, EffectBasis, PathDenies, Variables } from "./contract/call/effect.ts";
export type {
  Authorizer,
  CallCounter,
  CompiledCondition,
  ConditionError,
  ConditionFacts,
  ConditionLanguage,
  DecisionFacts,
  DecisionLayer,
  EarlierCalls,
  Objection,
  PolicyContext,
  PolicyMode,
  RepeatedCall,
  StageMachine,
  StageVerdict,
  Watchdog,
  WatchdogSettings,
  WatchdogVerdict,
} from "./contract/policy/decision.ts";
export type { PolicyCall, PolicyTool } from "./contract/policy/policy-call.ts";
export type { Condition, RequiredApprovers, RuleScope } from "./contract/policy/rule.ts";
export type { Explained } from "./pipeline/stages/evaluate-call.ts";
export {
  approvalStatement,
  type StatementInput,
  verifyApproval,
} from "./policy/approvals/approval-statement.ts";
export {
  approvalBroker,
  type GroupAnswerer,
  type GroupedApproval,
  groupedApprover,
} from "./policy/approvals/approvers.ts";
export { compilePolicy, type Policy } from "./policy/compile-policy.ts";
export { type ParsedRule, type ParseRuleOptions, parseRule } from "./policy/grammar/parse-rule.ts";
export { differencesText, diffPolicies, type PolicyDifference } from "./policy/history/diff-policies.ts";
export { type ObservedCalls, observedCalls, observedText } from "./policy/history/observed-calls.ts";
export type { RulePreview } from "./policy/history/preview-rules.ts";
export { type Recollection, type RecordedCall, recordedCalls } from "./policy/history/recorded-calls.ts";
export { RECOMMENDED_POLICY } from "./policy/recommended/recommended.ts";
export { type ExplainedStep, type Explanation, explainText } from "./policy/rules/explanation.ts";
export { type PolicyCallInput, policyCall, policyContext } from "./policy/rules/policy-call.ts";
export { dangerousActions } from "./policy/watchdogs/dangerous-actions.ts";
export { type DriftOptions, definitionDrift, pinDefinitions } from "./policy/watchdogs/definition-drift.ts";
export { onlyTools, type ToolLists } from "./policy/watchdogs/only-tools.ts";
export { roleFlags } from "./policy/watchdogs/role-flags.ts";
