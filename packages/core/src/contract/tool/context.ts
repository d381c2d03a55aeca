import type { Effect } from "../call/effect.ts";
import type { ToolResult } from "../call/result.ts";
import type { ByteRange, Io } from "../io/io.ts";
import type { Skills } from "../io/skills.ts";
import type { TaskInput, TaskOutcome } from "../io/tasks.ts";
import type { Question, QuestionAnswers } from "../people/question.ts";
import type { RegisteredTool } from "../stages/call.ts";

/** What the runtime gives a tool for one call. What the model chose arrives separately, as arguments. */
export interface ToolContext<Config = unknown, State = unknown> {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Names the session, for tools that keep something for each session. */
  readonly sessionId: string;
  /** The effects of this call, in the order the tool gave them, with canonical paths. */
  readonly effects: readonly Effect[];
  /** Aborts when the call is cancelled or out of time. */
  readonly abortSignal: AbortSignal;
  readonly io: Io;
  readonly config: Config;
  readonly state: StateSlot<State>;
  readonly output: OutputStream;
  readonly results: KeptResults;
  readonly skills: Skills;
  /** The tools that this turn can call, for tools that search among them. */
  readonly tools: readonly RegisteredTool[];
  /** The same for every attempt and every re-run of this call, for services that can deduplicate. */
  readonly idempotencyKey: string;
  /**
   * For a tool that `announces`: resolves when it is durable that the call acts now. Await it right before the first
   * thing that must not happen twice. Rejects when the call is over meanwhile. For other tools it has no effect.
   */
  acting(): Promise<void>;
  /** Shows a partial result to those who follow `session.events()`. Never reaches the model. */
  update(partial: unknown): void;
  /** Reports progress to those who follow `session.events()`, and extends the timeout. Never reaches the model. */
  progress(text: string, fraction?: number): void;
  /** Asks the user. Fails with a fixed message when no approver answers questions. */
  ask(questions: readonly Question[]): Promise<QuestionAnswers>;
  /** Calls another tool; the call is governed like any other. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Gives work to a subagent. */
  spawn(input: TaskInput, options?: { readonly detached?: boolean }): Promise<TaskOutcome>;
}

/** What the runtime gives a tool in `recover`: enough to find out, nothing to act with but `io`, within the call's effects. */
export type RecoveryContext<Config = unknown> = Pick<
  ToolContext<Config>,
  | "toolCallId"
  | "toolName"
  | "sessionId"
  | "effects"
  | "abortSignal"
  | "io"
  | "config"
  | "results"
  | "idempotencyKey"
>;

/** What the runtime gives a tool in `init`. */
export interface InitContext {
  /** Asks the user. Fails with a fixed message when no approver answers questions; the tool is then disabled. */
  ask(questions: readonly Question[]): Promise<QuestionAnswers>;
}

/** A tool's own memory across calls. No tool can reach another's. */
export interface StateSlot<State = unknown> {
  get(): State | undefined;
  set(value: State): void;
}

/** Output of any size: the head goes to the model, all of it to the sidecar. */
export interface OutputStream {
  /** Await it: it waits for the sidecar to keep up. */
  write(chunk: string | Uint8Array): Promise<void>;
}

/** Earlier results of this session that were too large to show whole, taken by reference. */
export interface KeptResults {
  /** Fails with `not_found` for a path that this session did not hand out. */
  read(path: string, range?: ByteRange): Promise<Uint8Array>;
}
