import { type Registry, type Session, ToolFailure } from "@toolkeep/core";
import type { LanguageModel } from "ai";
import type { AgentDefinition } from "../options/agent-definition.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import { agentOf, agentToolOptions } from "./agent-tool.ts";
import { childModel } from "./child-model.ts";
import { gateOfParent, ownTools, toolsOfParent } from "./child-tools.ts";

/** What is a child's own. */
export interface ChildProfile extends Pick<AgentOptions, "model" | "policy" | "limits" | "agents" | "gates"> {
  readonly name: string;
  readonly instructions: string;
  readonly registry: Registry;
  /** Whether it has the further parts of its parent's prompt, such as the instructions of the project. */
  readonly hasPrompt: boolean;
}

export interface ProfileParts {
  readonly options: AgentOptions;
  readonly model: LanguageModel;
  readonly agents: ReadonlyMap<string, unknown>;
  readonly session: Pick<Session, "tools">;
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
    ...{ name, instructions: own.instructions, registry: ownTools(own.tools ?? []), hasPrompt: false },
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
