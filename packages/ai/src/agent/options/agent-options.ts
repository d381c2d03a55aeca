import type { Session, SessionOptions, Tool } from "@toolkeep/core";
import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { PromptPart } from "../../prompt/prompt-part.ts";
import type { AgentModel } from "../../providers/load-model.ts";
import type { AgentDefinition, AgentLimits } from "./agent-definition.ts";
import type { Compact } from "./compact.ts";
import { type DeferTools, readDeferTools } from "./defer-tools.ts";
import { type ModelSettings, readSettings } from "./model-settings.ts";

/** Options of `createAgent`. The other options are those of a session: `tools`, `policy`, `approver`, `id`, `store` … */
export interface AgentOptions<Tools extends readonly Tool[] = readonly Tool[]>
  extends Omit<SessionOptions<Tools>, "limits" | "budget">,
    ModelSettings {
  /**
   * A language model of the AI SDK, the name of one (`"anthropic/claude-sonnet-4-5"`), or one at an OpenAI-compatible
   * address (`{ name, baseUrl }`). Of a list, each step asks the first one; if that fails before it has written anything,
   * the next one is asked.
   */
  readonly model: AgentModel | readonly AgentModel[];
  /** Where the agent works: a workspace of `@toolkeep/node`. Default: without files and commands. */
  readonly workspace?: { createSession(options?: SessionOptions): Promise<Session> };
  /** What the agent is told about its work, first in the system prompt. */
  readonly instructions?: string;
  /** Further parts of the system prompt, in order: see `promptParts` of `@toolkeep/ai/prompt`. */
  readonly prompt?: readonly PromptPart[];
  /**
   * The agents that the tool `task` can give work to; `findAgents` reads them from files. There is always `general`, which
   * is told what this agent is told. None has more than this agent. Default: work cannot be given to others.
   */
  readonly agents?: readonly AgentDefinition[];
  /** Steps, tokens and calls of a run, and the limits of a session. */
  readonly limits?: AgentLimits;
  /** Whether the model gets the messages of `agent.steer` one at a time or all at once. Default: `all`. */
  readonly steering?: "one" | "all";
  /** How the model calls tools. `text`: for models without function calling. Default: `native`. */
  readonly toolCalling?: "native" | "text";
  /**
   * With `tool_search` among the tools, a model gets at most so many bytes of definitions in a step: those that are always
   * shown, and those that it found. Default: 15,000 bytes.
   */
  readonly deferTools?: DeferTools;
  /** Makes a conversation shorter that is too long for the model: `compaction({ window })`. Default: none. */
  readonly compact?: Compact;
  /** Cancels the agent, as `agent.cancel()` does. */
  readonly signal?: AbortSignal;
}

const OPTIONS: Readonly<Record<keyof AgentOptions, true>> = {
  ...{ model: true, workspace: true, instructions: true, prompt: true, limits: true, steering: true },
  ...{ toolCalling: true, compact: true, signal: true, agents: true },
  ...{ providerOptions: true, temperature: true, maxOutputTokens: true, headers: true, deferTools: true },
  ...{ id: true, store: true, tools: true, registry: true, policy: true, approver: true, strategy: true },
  ...{ gates: true, observers: true, principal: true, parent: true, manifest: true },
  ...{ ceiling: true, variables: true, project: true, isolation: true, isTrusted: true, approvers: true },
  ...{ redactor: true, resolver: true, grantIo: true, mayContain: true, tasks: true, skills: true },
};

/** What is left for the loop once the session has its part. */
export interface LoopLimits {
  readonly steps: number;
  readonly tokens: number;
  readonly calls: number;
}

/** The options with their defaults, and those of the session apart. */
export interface ReadOptions {
  readonly model: AgentOptions["model"];
  readonly settings: ModelSettings;
  readonly deferTools: Required<DeferTools>;
  readonly workspace: AgentOptions["workspace"];
  readonly instructions: string | undefined;
  readonly prompt: AgentOptions["prompt"];
  readonly compact: Compact | undefined;
  readonly signal: AbortSignal | undefined;
  readonly steering: "one" | "all";
  readonly toolCalling: "native" | "text";
  readonly limits: LoopLimits;
  readonly session: SessionOptions;
}

const DEFAULT_STEPS = 100;

/** @throws ToolkeepError `invalid_option`. */
export function readOptions(options: AgentOptions): ReadOptions {
  assertKnownKeys(options, Object.keys(OPTIONS), "option of createAgent");
  const {
    model,
    workspace,
    instructions,
    prompt,
    limits,
    steering,
    toolCalling,
    compact,
    signal,
    providerOptions: _providerOptions,
    temperature: _temperature,
    maxOutputTokens: _maxOutputTokens,
    headers: _headers,
    deferTools,
    // Those of the delegation, which reads them itself.
    agents: _agents,
    ...session
  } = options;
  if (model === undefined)
    throw invalidOption(
      'createAgent needs a `model`: a model of the AI SDK, or a name such as "anthropic/claude-sonnet-4-5".',
    );
  if (instructions !== undefined && typeof instructions !== "string")
    throw invalidOption("The option `instructions` must be a text.");
  oneOf("steering", steering, ["one", "all"]);
  oneOf("toolCalling", toolCalling, ["native", "text"]);
  const { steps = DEFAULT_STEPS, tokens = Infinity, calls = Infinity, ...ofCalls } = limits ?? {};
  for (const [name, value] of Object.entries({ steps, tokens, calls })) positive(name, value);
  return {
    ...{ model, workspace, instructions, prompt, compact, signal },
    settings: readSettings(options),
    deferTools: readDeferTools(deferTools),
    steering: steering ?? "all",
    toolCalling: toolCalling ?? "native",
    limits: { steps, tokens, calls },
    session: { ...session, limits: ofCalls },
  };
}

/** A value that is none of these would be taken for the default. */
function oneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value === undefined || known.includes(value as string)) return;
  const list = known.map((one) => JSON.stringify(one)).join(" or ");
  throw invalidOption(`The option \`${name}\` must be ${list}.`);
}

function positive(name: string, value: number): void {
  if (value >= 1) return;
  throw invalidOption(`The limit \`${name}\` must be a number of at least 1.`);
}
