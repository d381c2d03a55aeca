import {
  createRegistry,
  type Gate,
  type Registry,
  type Session,
  type Tool,
  ToolFailure,
  ToolkeepError,
} from "@toolkeep/core";
import { variableNames } from "@toolkeep/core/internal";
import type { LanguageModel } from "ai";
import { loadModel } from "../../providers/load-model.ts";
import type { AgentDefinition } from "../options/agent-definition.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import { type AgentToolOptions, agentOf, agentToolOptions, isAgentTool } from "./agent-tool.ts";

/** What is a child's own. */
export interface ChildProfile
  extends Pick<AgentOptions, "model" | "headers" | "policy" | "limits" | "agents" | "gates"> {
  readonly name: string;
  readonly instructions: string;
  readonly registry: Registry;
  /** Whether it has the further parts of its parent's prompt, such as the instructions of the project. */
  readonly hasPrompt: boolean;
}

type ParentSession = Pick<Session, "tools" | "childContext">;

export interface ProfileParts {
  readonly options: AgentOptions;
  readonly models: readonly LanguageModel[];
  readonly agents: ReadonlyMap<string, unknown>;
  readonly session: ParentSession;
}

/** The profile of an agent: of an agent tool, or one that `task` can name. `undefined` if there is none. */
export async function profileOf(agent: string, parts: ProfileParts): Promise<ChildProfile | undefined> {
  if (agent.startsWith(agentOf(""))) return ofTool(agent.slice(agentOf("").length), parts);
  const definition = parts.agents.get(agent) as AgentDefinition | undefined;
  return definition === undefined ? undefined : ofDefinition(definition, parts);
}

async function ofTool(name: string, { session, models }: ProfileParts): Promise<ChildProfile | undefined> {
  const found = session.tools().find((one) => one.name === name);
  const own = found === undefined ? undefined : agentToolOptions(found.tool);
  if (own === undefined) return undefined;
  return {
    ...{
      name,
      instructions: own.instructions,
      registry: ownTools(own.tools ?? [], session),
      hasPrompt: false,
    },
    ...(await childModels(own, models)),
    ...(own.limits === undefined ? {} : { limits: own.limits }),
  };
}

function ofDefinition(definition: AgentDefinition, { options, models, session }: ProfileParts): ChildProfile {
  const { name, instructions, tools, policy, limits } = definition;
  const registry = toolsOfParent(session, tools);
  if (registry.list().length === 0 && tools !== undefined && tools.length > 0)
    throw new ToolFailure(
      "unavailable",
      `The agent ${name} works with ${tools.join(", ")}, and you have none of these tools yourself.`,
    );
  return {
    ...{ name, instructions, registry, hasPrompt: true },
    gates: [...(options.gates ?? []), gateOfParent(session)],
    ...(definition.model === undefined ? { model: models as readonly Model[] } : ownModel(definition.model)),
    ...(policy === undefined ? {} : { policy }),
    ...(limits === undefined ? {} : { limits }),
    // Without the tool it could not give work to others anyway.
    ...(options.agents === undefined || !hasTask(registry) ? {} : { agents: options.agents }),
  };
}

function hasTask(registry: Registry): boolean {
  return registry.list().some(({ name }) => name === "task");
}

type Model = Exclude<LanguageModel, string>;

/** A model of its own, which is perhaps of another provider: the headers of the parent are not for that one. */
function ownModel(model: NonNullable<AgentDefinition["model"]>): Pick<ChildProfile, "model" | "headers"> {
  return { model, headers: {} };
}

/** The models of an agent tool: its own or its parent's, and how much they think. */
async function childModels(
  { model, provider, thinking }: Pick<AgentToolOptions, "model" | "provider" | "thinking">,
  parent: readonly LanguageModel[],
): Promise<Pick<ChildProfile, "model" | "headers">> {
  const thinkingAs = await thinkingOf(thinking);
  if (model === undefined) return { model: (parent as readonly Model[]).map(thinkingAs) };
  const own = provider === undefined ? await loadModel(model) : provider.languageModel(String(model));
  return ownModel(thinkingAs(own as Model));
}

async function thinkingOf(thinking: AgentToolOptions["thinking"]): Promise<(model: Model) => Model> {
  if (thinking === undefined) return (model) => model;
  const { wrapLanguageModel } = await import("ai");
  return (model) =>
    wrapLanguageModel({
      model,
      middleware: {
        specificationVersion: "v4",
        transformParams: async ({ params }) => ({ ...params, reasoning: thinking }),
      },
    });
}

/**
 * The tools of a child that has some of its parent's, under their origins, so that the same rules apply to them. The
 * session of a child does not dispose what is its parent's. No child has an agent tool.
 */
function toolsOfParent(session: ParentSession, names: readonly string[] | undefined): Registry {
  const tools = session
    .tools()
    .filter(({ name, tool }) => !isAgentTool(tool) && (names === undefined || names.includes(name)));
  const config = Object.fromEntries(tools.map((one) => [one.name, one.config as Record<string, unknown>]));
  const registry = createRegistry({ config, variables: variableNames(session) });
  for (const { tool, origin } of tools) add(registry, tool, { origin });
  return registry;
}

/** A tool that the parent no longer has is not its child's either. */
function gateOfParent(session: Pick<Session, "tools">): Gate {
  return {
    name: "tools of the parent",
    before: ({ toolName }) =>
      session.tools().some(({ name }) => name === toolName) || {
        skip: `The agent that gave you this work no longer has ${toolName}.`,
      },
  };
}

/** Tools of its own, which the host application gave to an agent tool. */
function ownTools(tools: readonly Tool[], session: ParentSession): Registry {
  const registry = createRegistry({ variables: variableNames(session) });
  for (const tool of tools) add(registry, tool);
  return registry;
}

function add(registry: Registry, tool: Tool, options?: Parameters<Registry["register"]>[1]): void {
  const error = registry.register(tool, options);
  if (error !== undefined)
    throw new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(error.subject)}: ${error.message}`);
}
