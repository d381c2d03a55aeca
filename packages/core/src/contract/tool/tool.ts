import type { Effect } from "../call/effect.ts";
import { kindOfMode, modeOfName, type ToolKind, type ToolMode } from "../call/mode.ts";
import type { RequirementSet } from "../call/requirements.ts";
import type { Label, ToolOutput } from "../call/result.ts";
import type { Infer, InferInput, Schema } from "../call/schema-type.ts";
import type { EffectResolver } from "../io/resolve-effects.ts";
import { ToolkeepError } from "../values/error.ts";
import { CONTRACT_VERSION } from "../values/version.ts";
import type { InitContext, RecoveryContext, ToolContext } from "./context.ts";
import { contractError, type WrittenTool } from "./tool-contract.ts";

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

/** What `execute` gives: the data, or `output()` with more; also as a promise, or as the last value of an iterable. */
type Returned<Data> = Awaitable<Data | ToolOutput<Data>> | AsyncIterable<Data | ToolOutput<Data>>;

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
  /** It may be run again from its start after a question inside it was answered. */
  readonly resumable?: boolean;
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

const TOOL = Symbol.for("toolkeep.tool");

/**
 * Makes a tool from what its author wrote. The types of arguments, results, configuration and state follow from the
 * schemas.
 * @throws ToolkeepError `invalid_tool` when the contract is not met.
 *
 * @example
 * const weather = defineTool({
 *   name: "weather",
 *   description: "The weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   outputSchema: z.object({ celsius: z.number() }),
 *   requires: { net: { hosts: ["api.weather.example"] } },
 *   execute: async ({ city }, { io }) => readWeather(await io.net.fetch(`https://api.weather.example/${city}`)),
 * });
 *
 * @example
 * // A call that must not happen twice, and rarely leaves its outcome unknown when its process is killed.
 * const pay = defineTool({
 *   name: "pay",
 *   description: "Pays an invoice.",
 *   inputSchema: z.object({ invoice: z.string() }),
 *   requires: { capabilities: ["payments.send"] },
 *   announces: true,
 *   async execute({ invoice }, ctx) {
 *     const account = await bank.accountFor(invoice);
 *     await ctx.acting();
 *     return bank.pay(account, { key: ctx.idempotencyKey });
 *   },
 *   async recover(_args, ctx) {
 *     const payment = await bank.find(ctx.idempotencyKey);
 *     return payment === undefined ? { happened: false } : { happened: true, value: payment };
 *   },
 * });
 */
export function defineTool<
  const Input extends Schema,
  const Config extends Schema = ToolConfigSchema,
  const State extends Schema = Schema,
  const Output extends Schema = Schema,
  const Name extends string = string,
>(
  spec: ToolSpec<Infer<Input>, Infer<Config> & ToolConfig, Infer<State>, InferInput<NoInfer<Output>>> & {
    readonly name: Name;
    readonly inputSchema: Input;
    readonly outputSchema?: Output;
    readonly configSchema?: Config;
    readonly stateSlot?: { readonly version: number; readonly schema?: State };
  },
): Tool<
  Infer<Input>,
  Infer<Config> & ToolConfig,
  Infer<State>,
  { readonly name: Name; readonly input: InferInput<Input>; readonly output: InferInput<Output> }
> {
  assertContract(spec);
  const mode = spec.mode ?? modeOfName(spec.name);
  // Made from another tool, it knows no more of its mode than that one.
  const isModeGuessed = spec.mode === undefined || (spec as Partial<Tool>).isModeGuessed === true;
  return Object.freeze({
    ...spec,
    [TOOL]: true,
    label: spec.label ?? spec.name,
    mode,
    isModeGuessed,
    kind: spec.kind ?? kindOfMode(mode),
    gated: spec.gated ?? true,
    idempotent: spec.idempotent ?? (mode === "read" && !isModeGuessed && spec.announces !== true),
    resumable: spec.resumable ?? false,
    executor: spec.remote === undefined ? "local" : "remote",
    contractVersion: spec.contractVersion ?? CONTRACT_VERSION,
    requiredCoreVersion: spec.requiredCoreVersion ?? "*",
  } as const);
}

type ToolConfigSchema = { readonly type: "object" };

export function isTool(value: unknown): value is Tool {
  return typeof value === "object" && value !== null && TOOL in value;
}

function assertContract(spec: WrittenTool): void {
  const error = contractError(spec);
  if (error !== undefined) {
    throw new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(spec.name)}: ${error}`);
  }
}
