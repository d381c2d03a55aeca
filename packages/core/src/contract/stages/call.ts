import type { Label } from "../call/result.ts";
import type { Decision, DecisionFacts } from "../policy/decision.ts";
import type { Arguments, CanonicalEffect } from "../policy/policy-call.ts";
import type { RegisteredTool } from "../tool/tool.ts";

/** One request by a model to run a tool. Nothing else travels in it. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it (JSON text), or already parsed. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** The name was found. */
export interface FoundCall {
  readonly id: string;
  readonly request: ToolCall;
  readonly found: RegisteredTool;
}

/** The arguments fit the schema; they are frozen and have their defaults. */
export interface CheckedCall extends FoundCall {
  readonly args: Arguments;
  /** The checked arguments as JSON. */
  readonly argsText: string;
}

/** It is known what the call is about to do. */
export interface ResolvedCall extends CheckedCall {
  readonly effects: readonly CanonicalEffect[];
  /** What is remembered of the files that it reads. */
  readonly carries?: Readonly<Partial<Record<Label, string>>>;
}

declare const scoped: unique symbol;

/** Every effect lies within what the tool requires and the ceiling allows. Known by its type alone. */
export interface ScopedCall extends ResolvedCall {
  readonly [scoped]: true;
  /** What lies outside of what a standard tool requires, and within the ceilings: a person is asked about it. */
  readonly beyond?: readonly CanonicalEffect[];
}

/** Policy has decided. */
export interface AuthorizedCall extends ScopedCall {
  readonly decision: Decision;
  /** What the session had taken in or touched when it was decided; missing for nothing. */
  readonly taint?: readonly Label[];
  /** What the rules knew of time and of earlier calls when it was decided; missing if none asked. */
  readonly facts?: DecisionFacts;
  /** What the rules on trial would have made of it. */
  readonly shadow?: Decision["shadow"];
  /** No approver is asked: its commands run contained, and what they do is decided about afterwards. */
  readonly contained?: true;
}

/** May veto. Runs after authorization, so it can narrow and never widen. One that throws or hangs denies. */
export interface Gate {
  readonly name: string;
  /** Arguments with their secrets. Default: replaced when `args` is looked at: clone `{ ...call }`, not `call`. */
  readonly raw?: true;
  /** `false` skips the call; changed arguments start it again at the schema check, once. */
  before?(call: GatedCall): GateVerdict | Promise<GateVerdict>;
  /** `false` suppresses the update. */
  beforeUpdate?(update: UpdateInfo): boolean;
}

export interface GatedCall {
  readonly toolName: string;
  readonly callId: string;
  readonly args: Arguments;
}

export type GateVerdict =
  | boolean
  | { readonly skip: string }
  | { readonly arguments: Readonly<Record<string, unknown>> };

/** Watches. Cannot change anything; one that throws is reported and ignored. */
export interface Observer {
  readonly name: string;
  /**
   * Parameters, results and errors as they are, secrets included. Default: a copy as JSON with secrets replaced, as in
   * the journal, which is made of each field when it is looked at: clone or change `{ ...context }`, not `context`.
   */
  readonly raw?: true;
  /** Before each attempt. */
  onBeforeTool?(context: HookContext): void | Promise<void>;
  /** After each attempt that succeeded. */
  onAfterTool?(context: HookContext): void | Promise<void>;
  /** After each attempt that failed. */
  onToolError?(context: HookContext): void | Promise<void>;
  onPermissionDenied?(context: HookContext): void | Promise<void>;
  onTokenBudgetExceeded?(context: HookContext): void | Promise<void>;
  onToolsDisabled?(context: HookContext): void | Promise<void>;
  /** Once per call, after its end was announced. */
  afterExecution?(info: ExecutionInfo): void | Promise<void>;
  /** After an update was announced. */
  afterUpdate?(update: UpdateInfo): void | Promise<void>;
}

export type HookPoint =
  | "onBeforeTool"
  | "onAfterTool"
  | "onToolError"
  | "onPermissionDenied"
  | "onTokenBudgetExceeded"
  | "onToolsDisabled";

export interface HookContext {
  readonly hookPoint: HookPoint;
  readonly callId: string;
  readonly toolName: string;
  readonly parameters: unknown;
  readonly role: string;
  readonly workspace: string;
  readonly sessionId: string;
  readonly attempt?: number;
  readonly result?: unknown;
  readonly error?: string;
  /** Milliseconds. */
  readonly duration?: number;
}

export interface ExecutionInfo {
  readonly toolName: string;
  readonly callId: string;
  readonly isError: boolean;
}

export interface UpdateInfo {
  readonly toolName: string;
  readonly callId: string;
  readonly text: string;
}
