import type { Session } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { type AgentDefinition, readDefinitions } from "../options/agent-definition.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import { isAgentTool } from "./agent-tool.ts";
import { Delegation, type DelegationParts } from "./delegation.ts";

/** The delegation of an agent, if its options have agents or agent tools. @throws ToolkeepError `invalid_option`. */
export function delegationFor(
  parts: Omit<DelegationParts, "agents">,
  isChild: boolean,
): Delegation | undefined {
  const { agents, tools = [], registry, tasks } = parts.options;
  const registered = registry?.list().map(({ tool }) => tool) ?? [];
  const all = [...tools, ...registered];
  if (agents === undefined && !all.some(isAgentTool)) return undefined;
  if (tasks !== undefined)
    throw invalidOption(
      "`agents` and agent tools have a task runner of their own; `tasks` cannot be given with them.",
    );
  if (agents !== undefined && !isChild && !all.some(({ name }) => name === "task"))
    throw invalidOption(
      '`agents` needs the tool `task`, which is not among the tools. Add `standardTools()` of @toolkeep/tools, or `task` alone: `standardTools().filter(({ name }) => name === "task")`.',
    );
  return new Delegation({ ...parts, agents: withGeneral(agents, parts.options) });
}

function withGeneral(
  agents: readonly AgentDefinition[] | undefined,
  { instructions = "" }: AgentOptions,
): ReadonlyMap<string, AgentDefinition> {
  if (agents === undefined) return new Map();
  const byName = readDefinitions(agents);
  const description = "Any other work that can be described in one prompt, with the tools you have.";
  return new Map([["general", { name: "general", description, instructions }], ...byName]);
}

/** The prompt of an agent that can give work to others says to whom. */
export function withAgentIndex(
  prompt: AgentOptions["prompt"],
  session: Pick<Session, "tools">,
  delegation: Pick<Delegation, "index"> | undefined,
): AgentOptions["prompt"] {
  if (delegation === undefined || !session.tools().some(({ name }) => name === "task")) return prompt;
  const { index } = delegation;
  return index === "" ? prompt : [...(prompt ?? []), { name: "agents", text: () => index }];
}
