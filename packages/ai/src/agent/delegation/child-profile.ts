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
export interface ChildProfile extends Pick<AgentOptions, "model" | "policy" | "limits" | "agents" | "gates"> {
  readonly name: string;
  readonly instructions: string;
  readonly registry: Registry;
  /** Whether it has the further parts of its parent's prompt, such as the instructions of the project. */
  readonly hasPrompt: boolean;
}

type ParentSession = Pick<Session, "tools" | "childContext">;

export interface ProfileParts {
  readonly options: AgentOptions;
  readonly model: LanguageModel;
  readonly agents: ReadonlyMap<string, unknown>;
  readonly session: ParentSession;
}

/** The profile of an agent: of an agent tool, or one that `task` can name. `undefined` if there is none. */
export async function profileOf(agent: string, parts: ProfileParts): Promise<ChildProfile | undefined> {
  if (agent.startsWith(agentOf(""))) return ofTool(agent.slice(agentOf("").length), parts);
  const definition = parts.agents.get(agent) as AgentDefinition | undefined;
  return definition === undefined ? undefined : ofDefinition(definition, parts);
}

async function ofTool(name: string, { session, model }: ProfileParts): Promise<ChildProfile | undefined> {
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
    model: await childModel(own, model),
    ...(own.limits === undefined ? {} : { limits: own.limits }),
  };
}

function ofDefinition(definition: AgentDefinition, { options, model, session }: ProfileParts): ChildProfile {
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
    model: definition.model ?? (model as Exclude<LanguageModel, string>),
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

/** The model of an agent tool: of its own or its parent's, and how much it thinks. */
async function childModel(
  { model, provider, thinking }: Pick<AgentToolOptions, "model" | "provider" | "thinking">,
  parent: LanguageModel,
): Promise<Model> {
  const own = provider === undefined ? undefined : provider.languageModel(String(model));
  const chosen = (own ?? (model === undefined ? parent : await loadModel(model))) as Model;
  if (thinking === undefined) return chosen;
  const { wrapLanguageModel } = await import("ai");
  return wrapLanguageModel({
    model: chosen,
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
