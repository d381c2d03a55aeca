/**
 * What only the packages of Toolkeep itself use. Not public: names may change or go in any release.
 */

export { bareName } from "./commands/command-forms.ts";
export { type CommandHosts, commandHosts } from "./commands/command-hosts.ts";
export { reachOf } from "./commands/command-reach.ts";
export { emptiedBy } from "./commands/emptied-files.ts";
export { runsCode } from "./commands/read-effects.ts";
export { AGENT_NAME } from "./contract/agent.ts";
export { HEADLESS_DENIAL, HEADLESS_QUESTION } from "./contract/approval.ts";
export type { Budget } from "./contract/budget.ts";
export type {
  Arguments,
  CanonicalEffect,
  CheckedCall,
  FoundCall,
  RegisteredTool,
  ResolvedCall,
  ScopedCall,
} from "./contract/call.ts";
export { canonicalJson } from "./contract/canonical-json.ts";
export type { ImageContent, TextContent } from "./contract/content.ts";
export type { InitContext, KeptResults, OutputStream, StateSlot } from "./contract/context.ts";
export { closestName } from "./contract/diagnostic.ts";
export {
  effect,
  envRead,
  fsDelete,
  fsRead,
  fsWrite,
  joinCommand,
  netFetch,
  quotedWord,
  shellRun,
  splitCommand,
} from "./contract/effect.ts";
export { AccessRefused } from "./contract/failure.ts";
export type {
  ExecutionInfo,
  GatedCall,
  GateVerdict,
  HookContext,
  HookPoint,
  UpdateInfo,
} from "./contract/hooks.ts";
export { isRecord } from "./contract/is-record.ts";
export { modeOfName, type ToolKind, type ToolMode, type Treatment, treatmentOf } from "./contract/mode.ts";
export { onDemand } from "./contract/on-demand.ts";
export { type Layer, type Origin, originName, type SourceKind } from "./contract/origin.ts";
export { isBeneath, isWithin } from "./contract/path-within.ts";
export { currentProgram, EVENT_VERSION, nameProgram, type Program } from "./contract/program.ts";
export type { QuestionField, QuestionRequest } from "./contract/question.ts";
export { type ArgPattern, capabilitiesOf, type ShellRequirement } from "./contract/requirements.ts";
export type { Label, OutputFields, Truncation } from "./contract/result.ts";
export type { Infer, StandardSchema } from "./contract/schema-type.ts";
export { isTool, type OutputLimit, type RemoteAddress, type ToolConfig } from "./contract/tool.ts";
export { isTrustedAddress } from "./contract/trusted-address.ts";
export { assertKnownKeys, unknownKey } from "./contract/unknown-keys.ts";
export { CONTRACT_VERSION, CORE_VERSION } from "./contract/version.ts";
export { truncationNote } from "./formats/model-text.ts";
export { type ErasedBatch, ErasedBatches } from "./journal/erased-batches.ts";
export { PRINCIPAL_EVENTS, RecordedPrincipals } from "./journal/recorded-principals.ts";
export type { BatchedEvent, StandingEventChange } from "./journal/standing-events.ts";
export { ProcessLocks } from "./locks/process-locks.ts";
export { DEFAULT_LIMITS, type LimitOptions, type Limits, type RetryLimits } from "./pipeline/limits.ts";
export type { Strategy } from "./pipeline/run-batch.ts";
export { APPROVAL_NAMESPACE } from "./policy/approvals/approval-statement.ts";
export { type ApprovedRuns, approvedRuns } from "./policy/approvals/approved-runs.ts";
export { ApproverKeys } from "./policy/approvals/approver-keys.ts";
export { effectWords } from "./policy/approvals/effect-words.ts";
export { onBehalf } from "./policy/approvals/on-behalf.ts";
export { needsText } from "./policy/approvals/required-approvers.ts";
export { visible } from "./policy/approvals/visible.ts";
export { CallHistory } from "./policy/call-history.ts";
export { ruleError } from "./policy/compile-rule.ts";
export { RUNS_OWN_CODE } from "./policy/dangers.ts";
export { type EntryPattern, linePattern } from "./policy/grammar/entry-pattern.ts";
export {
  type EntryMeaning,
  entryAt,
  meaningOf,
  type PermissionEntry,
} from "./policy/grammar/permission-entry.ts";
export { writtenRuleError } from "./policy/grammar/rule-pattern.ts";
export { KNOWN_CAPABILITIES } from "./policy/known-permissions.ts";
export { compileGlob, kindOfTarget } from "./policy/patterns/compile-glob.ts";
export { expandChoices } from "./policy/patterns/text-pattern.ts";
export { POLICY_KEYWORDS } from "./policy/policy-keywords.ts";
export { rulesFor } from "./policy/rules-for.ts";
export { namesSecret } from "./policy/watchdogs/command-class.ts";
export { classOfName, isProtectedName, isSecretFile } from "./policy/watchdogs/name-class.ts";
export { onlyReads } from "./policy/watchdogs/reading-commands.ts";
export {
  changedScriptNames,
  changesVersionsOnly,
  editedScriptNames,
} from "./policy/watchdogs/script-parts.ts";
export { replaceNames } from "./redaction/map-strings.ts";
export { newMark } from "./redaction/new-mark.ts";
export { shapeError } from "./redaction/own-shapes.ts";
export type { SecretSpan } from "./redaction/redactor.ts";
export type { ToolView } from "./registry/binding.ts";
export { globalRegistry, type RegistryOptions, type ToolInspection } from "./registry/registry.ts";
export { type RegisterOptions, withRegistration } from "./registry/tool-registration.ts";
export { harmlessText, terminalText } from "./results/harmless-text.ts";
export { isUsablePattern, patternSize } from "./schema/usable-pattern.ts";
export type { ExecuteToolRequest } from "./session/execute-tool.ts";
export { createSessionWithPorts } from "./session/on-demand.ts";
export type { SessionPorts } from "./session/options.ts";
export { isAuthorizer, policyDefinition } from "./session/policy-definition.ts";
export {
  markSession,
  marksOfCall,
  onSessionMarks,
  type SessionMarks,
  sessionMarks,
  sessionTaint,
} from "./session/session-marks.ts";
export { type SessionRecord, sessionRecord } from "./session/session-record.ts";
export {
  type BudgetOptions,
  createBudgets,
  DEFAULT_BUDGET_TOKENS,
  tokenCounter,
} from "./session/token-budget.ts";
export type { NamedTypes, ToolNames } from "./session/typed-call.ts";
export { usableTools } from "./session/usable-tools.ts";
export { type DatedKey, dateError, parseDatedKey } from "./signatures/dated-key.ts";
export { parseSshPublicKey, type SshPublicKey, sshKeyId } from "./signatures/ssh-public-key.ts";
export { type SshSignatureInput, verifySshSignature } from "./signatures/ssh-signature.ts";
export { findTelemetry } from "./telemetry/find-telemetry.ts";
export type { OpenSpan, SpanAttributes, Telemetry } from "./telemetry/telemetry.ts";
