import type { SessionPolicy } from "@toolkeep/core";
import type { LimitOptions } from "@toolkeep/core/internal";
import { AGENT_NAME, assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { AgentDefinition as NamedAgent } from "@toolkeep/core/ports";
import type { AgentModel } from "../../providers/load-model.ts";

/**
 * An agent that the tool `task` can give work to. `findAgents` of `@toolkeep/node/agents` reads them from Markdown files.
 *
 * @example
 * const reviewer: AgentDefinition = {
 *   name: "reviewer",
 *   description: "Reviews a change before it is finished.",
 *   instructions: "You review changes. Say what is wrong, and where.",
 *   tools: ["read", "grep"],
 *   policy: ["deny net.fetch"],
 * };
 */
export interface AgentDefinition extends NamedAgent<AgentModel> {
  /** What applies to it in addition to the policy of its parent: it can only be stricter. */
  readonly policy?: SessionPolicy;
  /** What one task may use, and no more than its parent. What it uses is also taken from what its parent has left. */
  readonly limits?: AgentLimits;
}

const KEYS: Readonly<Record<keyof AgentDefinition, true>> = {
  ...{ name: true, description: true, instructions: true, tools: true, model: true, mode: true },
  ...{ policy: true, limits: true },
};

/** The agents that can be given work, by name. @throws ToolkeepError `invalid_option`. */
export function readDefinitions(agents: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  const byName = new Map<string, AgentDefinition>();
  for (const agent of agents) {
    assertKnownKeys(agent, Object.keys(KEYS), `option of the agent ${JSON.stringify(agent.name)}:`);
    if (!AGENT_NAME.test(agent.name))
      throw invalidOption(
        `The name of the agent ${JSON.stringify(agent.name)} must be 1 to 64 letters, digits, "_" and "-".`,
      );
    if (byName.has(agent.name))
      throw invalidOption(`Two agents have the name ${JSON.stringify(agent.name)}.`);
    byName.set(agent.name, agent);
  }
  for (const [name, { mode }] of byName) if (mode === "primary") byName.delete(name);
  return byName;
}

/** What a run may use at most, besides the limits of the session's calls. */
export interface AgentLimits extends LimitOptions {
  /** How often a run asks the model. Default: 100. */
  readonly steps?: number;
  /** How many tokens a run may use, those that go in and those that come out. Default: no limit. */
  readonly tokens?: number;
  /** How many calls a run may make. Default: no limit. */
  readonly calls?: number;
}
