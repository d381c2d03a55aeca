/** What only the packages of Toolkeep itself use. Not public: names may change or go in any release. */

export { runsCode } from "./commands/effects/code-runners.ts";
export { commandHosts } from "./commands/effects/command-hosts.ts";
export { emptiedBy } from "./commands/effects/emptied-files.ts";
export { bareName, bySystemName, systemName } from "./commands/forms/command-forms.ts";
export { placesIn, placesInLine, secretsIn } from "./commands/meaning/command-class.ts";
export { isLocalCommand, reachOf } from "./commands/meaning/command-reach.ts";
export { onlyReads } from "./commands/meaning/reading-commands.ts";
export {
  changedScriptNames,
  changesVersionsOnly,
  editedScriptNames,
} from "./commands/meaning/script-parts.ts";
export { isPureFilter } from "./commands/options/pure-filters.ts";
export { HEADLESS_DENIAL, HEADLESS_QUESTION, headlessApprover } from "./contract/approval/approval.ts";
export {
  assertAnswer,
  expiryOf,
  isRejection,
  REQUEST_LASTS_MS,
  refusedAnswer,
} from "./contract/approval/given-answer.ts";
export {
  capabilitiesOf,
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
  unknownFile,
} from "./contract/call/effect.ts";
export { type ToolMode, treatmentOf } from "./contract/call/mode.ts";
export { AccessRefused, type Label, type OutputFields, type Truncation } from "./contract/call/result.ts";
export { isStandardSchema, type StandardSchema } from "./contract/call/schema-type.ts";
export { assertVariables } from "./contract/call/variables.ts";
export { AGENT_NAME } from "./contract/io/agent.ts";
export type { QuestionRequest } from "./contract/people/question.ts";
export type { Arguments, CanonicalEffect } from "./contract/policy/policy-call.ts";
export {
  DISCOVERY_RULES,
  type DiscoveryRules,
  isToolFile,
  toolFolder,
} from "./contract/tool/discovery-rules.ts";
export {
  isTool,
  READS_OUTPUTS,
  type RegisteredTool,
  type RemoteAddress,
  type ToolConfig,
} from "./contract/tool/tool.ts";
export { defined } from "./contract/values/defined.ts";
export {
  assertKnownKeys,
  closestName,
  errorText,
  invalidOption,
  unknownKey,
} from "./contract/values/error.ts";
export { isRecord } from "./contract/values/is-record.ts";
export { canonicalJson } from "./contract/values/json-text.ts";
export { isLoopbackAddress } from "./contract/values/loopback.ts";
export { onDemand } from "./contract/values/on-demand.ts";
export { type Layer, type Origin, originName } from "./contract/values/origin.ts";
export { isBeneath, isWithin } from "./contract/values/path-within.ts";
export { CORE_VERSION, currentProgram, nameProgram, type Program } from "./contract/values/program.ts";
export { isTrustedAddress } from "./contract/values/trusted-address.ts";
export { unlessThrown } from "./contract/values/unless-thrown.ts";
export { classOfName, isProtectedName, isSecretFile } from "./file-names/name-class.ts";
export { remembered } from "./file-names/remembered.ts";
export { isCode } from "./file-names/script-files.ts";
export { expandChoices } from "./file-names/text-pattern.ts";
export { toolList } from "./formats/instructions.ts";
export { modelContent, truncationNote } from "./formats/model-text.ts";
export { brokenAt, eventsIn, originOf } from "./journal/batch-events.ts";
export { ERASE_MENTION, type ErasedBatch, ErasedBatches, wasErasedTo } from "./journal/erased-batches.ts";
export { answerKey, giveEach, type InboxEntry, isNamed, newsOf } from "./journal/inbox-entries.ts";
export { memoryJournal } from "./journal/memory-journal.ts";
export { memoryPending } from "./journal/memory-pending.ts";
export { PRINCIPAL_EVENTS, RecordedPrincipals } from "./journal/recorded-principals.ts";
export { type AccountListener, SessionAccount } from "./journal/session-account.ts";
export { waitingRequest } from "./journal/stored-session.ts";
export { webDigest } from "./journal/web-digest.ts";
export { ProcessLocks } from "./locks/process-locks.ts";
export { warnDeveloper } from "./pipeline/turn/developer-warning.ts";
export { DEFAULT_LIMITS, type LimitOptions } from "./pipeline/turn/limits.ts";
export { APPROVAL_NAMESPACE } from "./policy/approvals/approval-statement.ts";
export { type ApprovedRuns, approvedRuns } from "./policy/approvals/approved-runs.ts";
export { ApproverKeys, mayBeSamePerson } from "./policy/approvals/approver-keys.ts";
export { exactPattern } from "./policy/approvals/exact-rules.ts";
export { suggestRules } from "./policy/approvals/suggest-rules.ts";
export { approversText, needsText } from "./policy/approvers/required-approvers.ts";
export { RUNS_OWN_CODE } from "./policy/dangers.ts";
export { type EntryPattern, linePattern } from "./policy/grammar/entry-pattern.ts";
export {
  type EntryMeaning,
  entryAt,
  meaningOf,
  type PermissionEntry,
} from "./policy/grammar/permission-entry.ts";
export { writtenRuleError } from "./policy/grammar/rule-pattern.ts";
export { previewRules } from "./policy/history/preview-rules.ts";
export { isFreeWord } from "./policy/patterns/command-pattern.ts";
export { compileGlob, kindOfTarget } from "./policy/patterns/compile-glob.ts";
export { CallHistory } from "./policy/rules/call-history.ts";
export { ruleError, ruleText } from "./policy/rules/compile-rule.ts";
export { KNOWN_CAPABILITIES } from "./policy/rules/known-permissions.ts";
export { overridden } from "./policy/rules/overridden-rules.ts";
export { POLICY_KEYWORDS } from "./policy/rules/policy-keywords.ts";
export { rulesFor } from "./policy/rules/rules-for.ts";
export { unmatchedWords } from "./policy/rules/unmatched-words.ts";
export { effectWords } from "./policy/shown/effect-words.ts";
export { onBehalf } from "./policy/shown/on-behalf.ts";
export { visible } from "./policy/shown/visible.ts";
export { isOutside } from "./policy/watchdogs/outside-paths.ts";
export { replaceNames } from "./redaction/map-strings.ts";
export { newMark } from "./redaction/new-mark.ts";
export { shapeError } from "./redaction/own-shapes.ts";
export { redactStream } from "./redaction/redact-stream.ts";
export { registrar, whileLoading } from "./registry/register-tool.ts";
export { type RegisterOptions, withRegistration } from "./registry/tool-registration.ts";
export { harmlessText, terminalText } from "./results/harmless-text.ts";
export { memorySidecar } from "./results/memory-sidecar.ts";
export { linearPattern } from "./schema/patterns/linear-pattern.ts";
export { isUsablePattern, patternSize } from "./schema/patterns/usable-pattern.ts";
export { endExpired } from "./session/end-expired.ts";
export { foundTools, TOOL_SEARCH } from "./session/found-tools.ts";
export { createSessionWithPorts } from "./session/on-demand.ts";
export type { SessionPorts } from "./session/options.ts";
export { isAuthorizer, policyDefinition } from "./session/policy-definition.ts";
export { principalOf } from "./session/principals.ts";
export {
  markSession,
  marksOfCall,
  onSessionMarks,
  revokeMarks,
  type SessionMarks,
  sessionMarks,
  sessionTaint,
} from "./session/session-marks.ts";
export { type SessionRecord, sessionRecord } from "./session/session-record.ts";
export { tokenCounter } from "./session/token-budget.ts";
export type { NamedTypes, SessionResult, ToolNames } from "./session/typed-call.ts";
export { usableTools, variableNames } from "./session/usable-tools.ts";
export { type DatedKey, dateError, parseDatedKey } from "./signatures/dated-key.ts";
export { parseSshPublicKey, sshKeyId } from "./signatures/ssh-public-key.ts";
export { verifySshSignature } from "./signatures/ssh-signature.ts";
export { findTelemetry } from "./telemetry/find-telemetry.ts";
export type { OpenSpan, SpanAttributes, Telemetry } from "./telemetry/telemetry.ts";
