import { defineTool, type Tool, textContent, toolOutput } from "@toolkeep/core";
import { AGENT_NAME, assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { LanguageModel } from "ai";
import type { AgentModel } from "../../providers/load-model.ts";
import type { AgentLimits } from "../options/agent-definition.ts";
import { AGENT_INPUT } from "./agent-input.ts";

/** Options of {@link agentTool}. */
export interface AgentToolOptions {
  /** The name of the tool, and of the agent in approval requests. */
  readonly name: string;
  /** When to use it: for the model that calls it. */
  readonly description: string;
  /** The system prompt of the agent. */
  readonly instructions: string;
  /** Default: the model of the agent that calls it. */
  readonly model?: AgentModel;
  /** Provides the model instead of the package of its provider; `model` is then the name that it knows. */
  readonly provider?: { languageModel(name: string): Exclude<LanguageModel, string> };
  /** What the agent can call. The policy of the agent that calls it applies to them too. Default: nothing. */
  readonly tools?: readonly Tool[];
  /** How much the model thinks before it answers. Default: as its provider does. */
  readonly thinking?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  /** Default: 10 steps and 1,000,000 tokens. */
  readonly limits?: AgentLimits;
  /** How long one task may take. Default: 5 minutes. */
  readonly timeoutMs?: number;
}

const OPTIONS: Readonly<Record<keyof AgentToolOptions, true>> = {
  ...{ name: true, description: true, instructions: true, model: true, provider: true, tools: true },
  ...{ thinking: true, limits: true, timeoutMs: true },
};

const MOST_MS = 300_000;
const LIMITS: AgentLimits = { steps: 10, tokens: 1_000_000 };

/**
 * A tool that gives a task to another agent and returns its last text. The agent has its own prompt, model and tools,
 * and a new conversation for each task. It cannot do what the policy of its parent denies, it gets no agent tool, and it
 * stops with its parent. Works in an agent of `createAgent`.
 *
 * @example
 * const research = agentTool({
 *   name: "research",
 *   description: "Finds out what the documentation says.",
 *   instructions: "You answer questions from the documentation.",
 *   tools: [readPage],
 * });
 * await using agent = await createAgent({ model, tools: [research], policy });
 */
export function agentTool(options: AgentToolOptions): Tool {
  assertKnownKeys(options, Object.keys(OPTIONS), "option of agentTool");
  const { name, description, tools = [], timeoutMs = MOST_MS, provider, model } = options;
  if (!AGENT_NAME.test(name))
    throw invalidOption(`The name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" and "-".`);
  const nested = tools.find(isAgentTool);
  if (nested !== undefined)
    throw invalidOption(
      `The agent tool ${name} cannot have the agent tool ${nested.name}: agents of agent tools start no others.`,
    );
  if (provider !== undefined && typeof model !== "string")
    throw invalidOption(
      `The agent tool ${name} has a \`provider\`: its \`model\` must be a name that the provider knows.`,
    );
  const tool = defineTool({
    name,
    description,
    mode: "external",
    kind: "other",
    gated: false,
    // The same call never starts a second child.
    idempotent: true,
    timeoutMs,
    inputSchema: AGENT_INPUT,
    requires: {},
    async execute({ task }, ctx) {
      const outcome = await ctx.spawn({ agent: agentOf(name), prompt: task });
      const answer = outcome.status === "done" ? outcome.text : "";
      return toolOutput({
        childId: outcome.childId,
        data: { output: answer, session_id: outcome.childId },
        content: [textContent(answer === "" ? "(the agent returned no text)" : answer)],
      });
    },
  }) as Tool;
  definitions.set(tool.execute, { ...options, limits: { ...LIMITS, ...options.limits } });
  return tool;
}

/** By what stays the same when a tool is copied to carry its origin. */
const definitions = new WeakMap<object, AgentToolOptions>();

export function isAgentTool(tool: Tool): boolean {
  return definitions.has(tool.execute);
}

/** What an agent tool was made with; `undefined` for another tool. */
export function agentToolOptions(tool: Tool): AgentToolOptions | undefined {
  return definitions.get(tool.execute);
}

/** How the agent of a tool is called towards the runner. The tool `task` cannot name it: a rule may deny one of the two. */
export function agentOf(toolName: string): string {
  return `tool:${toolName}`;
}
