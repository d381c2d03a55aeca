import {
  createRegistry,
  type Gate,
  type Registry,
  type Session,
  type Tool,
  ToolkeepError,
} from "@toolkeep/core";
import { isAgentTool } from "./agent-tool.ts";

/**
 * The tools of a child that has some of its parent's, under their origins, so that the same rules apply to them. The
 * session of a child does not dispose what is its parent's. No child has an agent tool.
 */
export function toolsOfParent(
  session: Pick<Session, "tools">,
  names: readonly string[] | undefined,
): Registry {
  const tools = session
    .tools()
    .filter(({ name, tool }) => !isAgentTool(tool) && (names === undefined || names.includes(name)));
  const config = Object.fromEntries(tools.map((one) => [one.name, one.config as Record<string, unknown>]));
  const registry = createRegistry({ config });
  for (const { tool, origin } of tools) add(registry, tool, { origin });
  return registry;
}

/** A tool that the parent no longer has is not its child's either. */
export function gateOfParent(session: Pick<Session, "tools">): Gate {
  return {
    name: "tools of the parent",
    before: ({ toolName }) =>
      session.tools().some(({ name }) => name === toolName) || {
        skip: `The agent that gave you this work no longer has ${toolName}.`,
      },
  };
}

/** Tools of its own, which the host application gave to an agent tool. */
export function ownTools(tools: readonly Tool[]): Registry {
  const registry = createRegistry();
  for (const tool of tools) add(registry, tool);
  return registry;
}

function add(registry: Registry, tool: Tool, options?: Parameters<Registry["register"]>[1]): void {
  const error = registry.register(tool, options);
  if (error !== undefined)
    throw new ToolkeepError("invalid_tool", `Tool ${JSON.stringify(error.toolName)}: ${error.message}`);
}
