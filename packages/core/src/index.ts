export { commandEffects } from "./commands/command-effects.ts";
export { isFolderBelow } from "./commands/folder-below.ts";
export {
  type ApprovalAnswer,
  type ApprovalBinding,
  type ApprovalRequest,
  type Approver,
  type GivenAnswer,
  HEADLESS_DENIAL,
  HEADLESS_QUESTION,
  headlessApprover,
  type PersonRequest,
  type ProjectApprovals,
  type RememberedApproval,
  type SignedApproval,
} from "./contract/approval.ts";
export type { Budget } from "./contract/budget.ts";
export type {
  Arguments,
  CanonicalEffect,
  CheckedCall,
  ConfinedCall,
  FoundCall,
  PolicyCall,
  PolicyTool,
  RegisteredTool,
  ResolvedCall,
  ToolCall,
} from "./contract/call.ts";
export { type Content, type ImageContent, type TextContent, text } from "./contract/content.ts";
export type { InitContext, KeptResults, OutputStream, StateSlot, ToolContext } from "./contract/context.ts";
export type {
  Authorizer,
  Decision,
  DecisionLayer,
  PolicyDefinition,
  PolicyMode,
  StageMachine,
  StageVerdict,
} from "./contract/decision.ts";
export type { Digest } from "./contract/digest.ts";
export {
  type Effect,
  type EffectBasis,
  effect,
  envRead,
  fsDelete,
  fsRead,
  fsWrite,
  joinCommand,
  netFetch,
  shellRun,
  splitCommand,
} from "./contract/effect.ts";
export { type ErrorCode, ToolkeepError } from "./contract/error.ts";
export type {
  EventName,
  JournalEntry,
  JournalEvent,
  PassingEntry,
  RefusingStage,
  SessionEvent,
  Stamp,
} from "./contract/event.ts";
export { type Failure, type FailureCode, ToolFailure } from "./contract/failure.ts";
export type {
  ExecutionInfo,
  Gate,
  GatedCall,
  GateVerdict,
  HookContext,
  HookPoint,
  Observer,
  UpdateInfo,
} from "./contract/hooks.ts";
export type {
  ByteRange,
  Command,
  CommandOptions,
  CommandOutcome,
  Commands,
  Environment,
  FileBytes,
  FileEntry,
  Files,
  Grant,
  GrantIo,
  Io,
  KeptOutput,
  ListQuery,
  Network,
  NetworkRequest,
  NetworkResponse,
  RunningCommand,
  SearchMatch,
  SearchQuery,
  WriteOptions,
  WrittenFile,
} from "./contract/io.ts";
export type { Journal, JournalExtent, JournalQuery, PendingArguments } from "./contract/journal.ts";
export { type JsonSource, JsonText, type TextSink } from "./contract/json-text.ts";
export { modeOfName, type ToolKind, type ToolMode, type Treatment, treatmentOf } from "./contract/mode.ts";
export { type Layer, type Origin, originName, type SourceKind } from "./contract/origin.ts";
export type { DeniedAccess, PathDenies } from "./contract/path-denies.ts";
export type { PdfPages, PdfQuery, PdfReader } from "./contract/pdf.ts";
export type { PolicyContext, RepeatedCall } from "./contract/policy-context.ts";
export type { Principal } from "./contract/principal.ts";
export type { Question, QuestionAnswers, QuestionField, QuestionRequest } from "./contract/question.ts";
export type {
  ArgPattern,
  Ceiling,
  RequirementSet,
  ShellRequirement,
  Variables,
} from "./contract/requirements.ts";
export type {
  EffectResolver,
  FoundBeneath,
  LineOnDisk,
  ParsedCommand,
  ProtectedPaths,
  SimpleCommand,
} from "./contract/resolve-effects.ts";
export {
  type Label,
  type OutputFields,
  output,
  type ToolOutput,
  type ToolResult,
  type Truncation,
} from "./contract/result.ts";
export type { Action, Condition, Rule, RuleScope } from "./contract/rule.ts";
export type { IsolationLevel, Sandbox, SandboxedCommand, SandboxProfile } from "./contract/sandbox.ts";
export type { Infer, JsonSchema, Schema, StandardSchema } from "./contract/schema-type.ts";
export type { Sidecar, SidecarFile } from "./contract/sidecar.ts";
export type { SkillEntry, Skills } from "./contract/skills.ts";
export {
  type Message,
  OutcomeUnknown,
  type ParkKind,
  type Step,
  type StepEffect,
  type Steps,
  TurnParked,
} from "./contract/steps.ts";
export type {
  AnswerOptions,
  LeftAnswer,
  OpenJournal,
  OpenJournalOptions,
  OutputOptions,
  RequestRef,
  SessionStore,
  StoreNews,
  UnfinishedTurn,
  WaitingQuery,
  WaitingRequest,
} from "./contract/store.ts";
export type { TaskInput, TaskOptions, TaskOutcome, TaskRunner } from "./contract/tasks.ts";
export {
  defineTool,
  isTool,
  type OutputLimit,
  type RemoteAddress,
  type Tool,
  type ToolConfig,
  type ToolSpec,
} from "./contract/tool.ts";
export { CONTRACT_VERSION, CORE_VERSION } from "./contract/version.ts";
export type { Objection, Watchdog, WatchdogSettings, WatchdogVerdict } from "./contract/watchdog.ts";
export { type AuditRecord, toAudit } from "./journal/audit.ts";
export {
  batchError,
  CHAIN_START,
  type ChainOrigin,
  type ChainVerdict,
  chainAfter,
  type JournalBatch,
  linesOf,
  linkBatch,
  verifyChain,
} from "./journal/chain.ts";
export { decodeEvent, encodeEvent, writeEvent } from "./journal/encode-event.ts";
export { extentAfter, matchesQuery, NO_EXTENT } from "./journal/matches-query.ts";
export { type MemoryJournal, type MemoryJournalOptions, memoryJournal } from "./journal/memory-journal.ts";
export { memoryStore } from "./journal/memory-store.ts";
export { memoryPending } from "./journal/memory-pending.ts";
export { OpenBatch } from "./journal/open-batch.ts";
export {
  type BatchedEvent,
  INDEXED_TYPES,
  REQUEST_TYPES,
  type StandingEvent,
  type StandingEventChange,
  StandingEvents,
} from "./journal/standing-events.ts";
export { webDigest } from "./journal/web-digest.ts";
export type { Explained } from "./pipeline/evaluate-call.ts";
export { DEFAULT_LIMITS, type LimitOptions, type Limits, type RetryLimits } from "./pipeline/limits.ts";
export type { Strategy } from "./pipeline/run-batch.ts";
export type { DoneCall, TurnRecord } from "./pipeline/turn-record.ts";
export type { ExplainedStep, Explanation } from "./policy/explanation.ts";
export { type RedactingStream, redactStream } from "./redaction/redact-stream.ts";
export { createRedactor, type Redactor, type SecretSpan } from "./redaction/redactor.ts";
export { expandAllowed, matchesAllowList } from "./registry/allow-list.ts";
export type { ToolView } from "./registry/binding.ts";
export {
  type DefinitionOptions,
  type InstructionOptions,
  toAiSdkDefinition,
  toAnthropicDefinition,
  toGeminiDefinition,
  toInstructions,
  toMcpDefinition,
  toOpenAiDefinition,
  toOpenAiResponsesDefinition,
  visibleTools,
} from "./registry/definitions.ts";
export { describeContract } from "./registry/describe-contract.ts";
export type { Diagnostic } from "./registry/diagnostic.ts";
export {
  createRegistry,
  globalRegistry,
  Registry,
  type RegistryOptions,
  type ToolInspection,
} from "./registry/registry.ts";
export { type RegisterOptions, withRegistration } from "./registry/tool-registration.ts";
export { Divergence } from "./replay/recorded-steps.ts";
export {
  type ReplayDifference,
  type ReplayReport,
  recordedSteps,
  replayJournal,
} from "./replay/replay-journal.ts";
export { type AcpUpdate, acpUpdates } from "./results/acp-updates.ts";
export { harmlessText, terminalText } from "./results/harmless-text.ts";
export { memorySidecar } from "./results/memory-sidecar.ts";
export { modelContent, modelText } from "./results/model-text.ts";
export {
  type ContentMessage,
  callStatus,
  type Envelope,
  fromContent,
  fromDict,
  fromEnvelope,
  fromToolResult,
  isTerminalResult,
  type ResultDict,
  type SuccessResult,
  toContent,
  toDict,
  toEnvelope,
  toToolResult,
} from "./results/projections.ts";
export {
  toAiSdkResult,
  toAnthropicResult,
  toMcpResult,
  toOpenAiResponsesResult,
  toOpenAiResult,
} from "./results/provider-results.ts";
export { type SpanOptions, type TraceSpan, toTraceSpan } from "./results/trace-span.ts";
export {
  toolCallFromAiSdk,
  toolCallFromAnthropic,
  toolCallFromOpenAi,
  toolCallFromOpenAiResponses,
} from "./schema/provider-calls.ts";
export { readToolCall } from "./schema/read-tool-call.ts";
export { isUsablePattern, patternSize } from "./schema/usable-pattern.ts";
export { type ExecuteToolRequest, executeTool } from "./session/execute-tool.ts";
export { createMetrics, type Metrics, type ToolMetrics } from "./session/metrics.ts";
export { createSession } from "./session/on-demand.ts";
export type { SessionOptions } from "./session/options.ts";
export type { SessionPolicy } from "./session/policy-definition.ts";
export type { ParentContext } from "./session/parent-context.ts";
export type { Session } from "./session/session.ts";
export { type BudgetOptions, createBudgets, DEFAULT_BUDGET_TOKENS } from "./session/token-budget.ts";
export type { Ticket, TurnOptions, TurnOutcome } from "./session/turn.ts";
