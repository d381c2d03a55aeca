export type {
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  GivenAnswer,
  PersonRequest,
} from "./contract/approval.ts";
export type { ToolCall } from "./contract/call.ts";
export { type Content, text } from "./contract/content.ts";
export type { ToolContext } from "./contract/context.ts";
export type { Decision, PolicyDefinition } from "./contract/decision.ts";
export type { Diagnostic } from "./contract/diagnostic.ts";
export { type Effect, effects } from "./contract/effect.ts";
export { type ErrorCode, ToolkeepError } from "./contract/error.ts";
export type { SessionEvent } from "./contract/event.ts";
export { type Failure, type FailureCode, ToolFailure } from "./contract/failure.ts";
export type { Gate, Observer } from "./contract/hooks.ts";
export type { Io } from "./contract/io.ts";
export type { Principal } from "./contract/principal.ts";
export type { Question, QuestionAnswers } from "./contract/question.ts";
export type { RequirementSet } from "./contract/requirements.ts";
export { output, type ToolOutput, type ToolResult } from "./contract/result.ts";
export type { Action, Rule } from "./contract/rule.ts";
export type { JsonSchema, Schema } from "./contract/schema-type.ts";
export type { SessionStore, WaitingRequest } from "./contract/store.ts";
export { defineTool, type Tool, type ToolSpec } from "./contract/tool.ts";
export { memoryStore } from "./journal/memory-store.ts";
export { createRedactor, type Redactor } from "./redaction/redactor.ts";
export { createRegistry, type Registry } from "./registry/registry.ts";
export type { ToolDiagnostic } from "./registry/tool-diagnostic.ts";
export { executeTool } from "./session/execute-tool.ts";
export { createSession } from "./session/on-demand.ts";
export type { SessionOptions } from "./session/options.ts";
export type { ParentContext } from "./session/parent-context.ts";
export type { SessionPolicy } from "./session/policy-definition.ts";
export type { Session } from "./session/session.ts";
export type { Ticket, TurnOptions, TurnOutcome } from "./session/turn.ts";
