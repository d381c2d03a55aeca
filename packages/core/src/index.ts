export type {
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  GivenAnswer,
  PersonRequest,
} from "./contract/approval/approval.ts";
export { type Effect, effects, type RequirementSet } from "./contract/call/effect.ts";
export {
  type Content,
  type Failure,
  type FailureCode,
  ToolFailure,
  type ToolOutput,
  type ToolResult,
  textContent,
  toolOutput,
} from "./contract/call/result.ts";
export type { JsonSchema, Schema } from "./contract/call/schema-type.ts";
export type { Io } from "./contract/io/io.ts";
export type { Principal } from "./contract/people/principal.ts";
export type { Question, QuestionAnswers } from "./contract/people/question.ts";
export type { Decision, PolicyDefinition } from "./contract/policy/decision.ts";
export type { Action, Rule } from "./contract/policy/rule.ts";
export type { Gate, Observer, ToolCall } from "./contract/stages/call.ts";
export type { SessionEvent } from "./contract/store/event.ts";
export type { SessionStore, WaitingRequest } from "./contract/store/store.ts";
export { defineTool } from "./contract/tool/define-tool.ts";
export type { Tool, ToolContext, ToolSpec } from "./contract/tool/tool.ts";
export type { Diagnostic } from "./contract/values/diagnostic.ts";
export { type ErrorCode, ToolkeepError } from "./contract/values/error.ts";
export { memoryStore } from "./journal/memory-store.ts";
export { createRedactor, type Redactor } from "./redaction/redactor.ts";
export { type RegisterTool, registerTool, sharedRegistry } from "./registry/register-tool.ts";
export { createRegistry, type Registry } from "./registry/registry.ts";
export { executeTool } from "./session/execute-tool.ts";
export { createSession } from "./session/on-demand.ts";
export type { ParentContext, SessionOptions } from "./session/options.ts";
export type { SessionPolicy } from "./session/policy-definition.ts";
export type { Session } from "./session/session.ts";
export type { Proposal, TurnOptions, TurnOutcome } from "./session/turn.ts";
