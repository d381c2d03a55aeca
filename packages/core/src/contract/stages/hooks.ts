import type { Arguments } from "../policy/policy-call.ts";

/** May veto. Runs after authorization, so it can narrow and never widen. One that throws or hangs denies. */
export interface Gate {
  readonly name: string;
  /**
   * Arguments as they are, secrets included. Default: secrets are replaced, as in the journal, when `args` is looked at:
   * clone or change `{ ...call }`, not `call`.
   */
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
