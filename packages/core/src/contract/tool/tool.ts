import type { Effect, RequirementSet } from "../call/effect.ts";
import type { ToolKind, ToolMode } from "../call/mode.ts";
import type { Label, ToolOutput, ToolResult } from "../call/result.ts";
import type { Schema } from "../call/schema-type.ts";
import type { Skills, TaskInput, TaskOutcome } from "../io/agent.ts";
import type { ByteRange, Io } from "../io/io.ts";
import type { EffectResolver } from "../io/resolve-effects.ts";
import type { Question, QuestionAnswers } from "../people/question.ts";
import type { Origin } from "../values/origin.ts";

type Awaitable<T> = T | Promise<T>;

/** What every tool can be configured with, in addition to its own `configSchema`. */
export interface ToolConfig {
  readonly enabled?: boolean;
  readonly timeoutMs?: number;
}

/** The largest output a result shows; the rest goes to the sidecar. */
export interface OutputLimit {
  readonly bytes?: number;
  readonly entries?: number;
}

/** Where a remote tool really lives. */
export interface RemoteAddress {
  readonly serverId: string;
  readonly tool: string;
}

/** What `execute` gives: the data, or `toolOutput()` with more; also as a promise, or as the last value of an iterable. */
type Returned<Data> = Awaitable<Data | ToolOutput<Data>> | AsyncIterable<Data | ToolOutput<Data>>;

/** Marks a tool that shows the outputs that a session kept: notes on what was cut name it. */
export const READS_OUTPUTS: unique symbol = Symbol.for("toolkeep.reads-outputs");

/** What an author writes. Everything optional has a default that `defineTool` fills in. */
export interface ToolSpec<Args, Config, State, Data = unknown> {
  /** Flat, unique, stable: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  /** Describes the data for the model and the compiler. Data that deviates is recorded (`output-mismatch`), never refused. */
  readonly outputSchema?: Schema;
  /**
   * What its results carry. `private`: each call marks the session as one that has looked into private data, so that
   * the watchdog `rule-of-two` asks before something leaves because of untrusted content. Every result is `untrusted`;
   * with the label the call also marks the session so.
   */
  readonly labels?: readonly Label[];
  readonly [READS_OUTPUTS]?: true;
  /** What the tool may ever need. `"unknown"` makes every call ask. */
  readonly requires: RequirementSet | "unknown";
  readonly mode?: ToolMode;
  readonly kind?: ToolKind;
  /** `false` lets calls run without approval where nothing else asks. */
  readonly gated?: boolean;
  /**
   * Running it twice is as good as once: it may be retried, and re-run after a crash. Left out: only a tool that declares
   * the mode `read` is. A name that sounds like reading is not enough.
   */
  readonly idempotent?: boolean;
  /**
   * It awaits `ctx.acting()` right before the first thing that must not happen twice. A call that was cut off before
   * that is run again; only after it, the outcome is unknown. Not for idempotent tools.
   */
  readonly announces?: boolean;
  /** Commands of its io make all its changes. A call that would ask may run contained, where the workspace does that. */
  readonly containable?: boolean;
  /** It may be run again from its start after a question inside it was answered. */
  readonly resumable?: boolean;
  /** `false`: models and `session.tools()` do not see it. It can be called; an agent's prompt says so. */
  readonly described?: boolean;
  /** Which argument chooses among several actions, so that rules can name them: `git_manager.push`. */
  readonly actionArgument?: string;
  /**
   * Capabilities, such as `deploy.run` or `fs.write`: a call with such an effect runs alone among all sessions that
   * share a store or a process, for each resource; for files, for the workspace they are in.
   */
  readonly locks?: readonly string[];
  /** A fingerprint of the code, where its source can tell. Part of the definition that approvals are bound to. */
  readonly codeHash?: string;
  readonly timeoutMs?: number;
  readonly maxOutput?: OutputLimit;
  /** Failure codes of the tool's own. */
  readonly failureCodes?: readonly string[];
  readonly contractVersion?: string;
  /** Semver range of the cores it works with. */
  readonly requiredCoreVersion?: string;
  readonly remote?: RemoteAddress;
  /** What this call is about to do. Must not act; may ask the resolver. Default: all that it requires. */
  effects?(args: Args, resolver: EffectResolver): Awaitable<readonly Effect[]>;
  /**
   * Names what a call is about, for the person who is asked and for what `always` remembers: this key
   * together with the same effects. It cannot widen an approval. Must depend on the arguments
   * alone and hold no secret. Left out: made from the effects.
   */
  deriveApprovalKey?(args: Args): string;
  /** Prepares; runs again after a reload. May throw: the tool is then disabled and the session continues. */
  init?(config: Config, ctx: InitContext): Awaitable<void>;
  activate?(): Awaitable<void>;
  /** Called when no call of it runs any more. */
  deactivate?(): Awaitable<void>;
  /** Must be safe to call twice. */
  dispose?(): Awaitable<void>;
  /**
   * Finds out what became of a call that began, was cut off by the end of its process, and may not run twice: from the
   * service, by `ctx.idempotencyKey`, or by looking. Must not act. What happened is recorded with its value; what did
   * not is run; `undefined`, a failure or a timeout leave the outcome unknown.
   */
  recover?(args: Args, ctx: RecoveryContext<Config>): Awaitable<Recovered<Data> | undefined>;
  execute(args: Args, ctx: ToolContext<Config, State>): Returned<Data>;
}

/** What became of a call that was cut off: it happened, with this result; or it did not. */
export type Recovered<Data = unknown> =
  | { readonly happened: true; readonly value: Data | ToolOutput<Data> }
  | { readonly happened: false };

/** What `session.call` knows of a tool from its definition. */
export interface ToolTypes {
  readonly name: string;
  /** The arguments as a caller gives them, without defaults. */
  readonly input: unknown;
  /** The data of its results, where it has an `outputSchema`. */
  readonly output: unknown;
}

declare const types: unique symbol;

/** A tool: the frozen value that `defineTool` returns. */
export interface Tool<Args = unknown, Config = unknown, State = unknown, Types extends ToolTypes = ToolTypes>
  extends ToolSpec<Args, Config, State> {
  readonly name: Types["name"];
  /** Exists in types alone. */
  readonly [types]?: Types;
  readonly label: string;
  readonly inputSchema: Schema;
  readonly mode: ToolMode;
  /** The mode is what the name suggests. It may make calls stricter, and permits nothing. */
  readonly isModeGuessed: boolean;
  readonly kind: ToolKind;
  readonly gated: boolean;
  readonly idempotent: boolean;
  readonly resumable: boolean;
  readonly executor: "local" | "remote";
  readonly contractVersion: string;
  readonly requiredCoreVersion: string;
  readonly configSchema?: Schema;
  readonly stateSlot?: { readonly version: number; readonly schema?: Schema };
}

export const TOOL = Symbol.for("toolkeep.tool");

export function isTool(value: unknown): value is Tool {
  return typeof value === "object" && value !== null && TOOL in value;
}

/** A registered tool: bound to a name, with its origin. */
export interface RegisteredTool {
  readonly name: string;
  readonly tool: Tool;
  readonly origin: Origin;
  readonly originName: string;
  /** What stands between the parts that differ, in the events and results of its calls. */
  readonly texts: { readonly inEvent: string; readonly inResult: string };
  /** Checked against the tool's `configSchema`. */
  readonly config: ToolConfig;
}

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
interface InitContext {
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
