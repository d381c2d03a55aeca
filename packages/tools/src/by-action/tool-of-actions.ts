import { defineTool, type RequirementSet, type Tool, ToolFailure } from "@toolkeep/core";

/** One tool in front of several, chosen by its argument `action`. */
interface Manager {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly mode: Tool["mode"];
  readonly requires: RequirementSet;
  /** What each action does. The manager has the parameters of all. */
  readonly actions: Readonly<Record<string, Tool>>;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** Rules see `name.action`; effects and results are those of the tool that stands behind the action. */
export function toolOfActions({ actions, ...manager }: Manager): Tool {
  const tools = Object.values(actions);
  const properties = Object.assign({}, ...tools.map((tool) => schemaOf(tool).properties)) as object;
  const mostBytes = Math.max(...tools.map(({ maxOutput }) => maxOutput?.bytes ?? 0));
  return defineTool({
    ...manager,
    kind: "edit",
    actionArgument: "action",
    inputSchema: {
      type: "object",
      properties: { action: { enum: Object.keys(actions) }, ...properties },
      required: ["action"],
      additionalProperties: false,
    },
    ...(mostBytes === 0 ? {} : { maxOutput: { bytes: mostBytes } }),
    effects: (call, resolver) => {
      const { tool, args } = chosen(actions, call as ManagerCall);
      return tool.effects?.(args, resolver) ?? [];
    },
    execute: (call, ctx) => {
      const { tool, args } = chosen(actions, call as ManagerCall);
      return tool.execute(args, ctx);
    },
  }) as Tool;
}

type ManagerCall = Readonly<Record<string, unknown>> & { readonly action: string };

/** @throws ToolFailure for a parameter that the action lacks, or does not take. */
function chosen(actions: Manager["actions"], { action, ...args }: ManagerCall) {
  const tool = actions[action] as Tool;
  const { properties, required = [] } = schemaOf(tool);
  const missing = required.find((name) => args[name] === undefined);
  if (missing !== undefined)
    throw new ToolFailure("invalid_arguments", `The action ${action} needs \`${missing}\``);
  const foreign = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (foreign !== undefined)
    throw new ToolFailure("invalid_arguments", `The action ${action} takes no \`${foreign}\``);
  return { tool, args };
}

function schemaOf({ inputSchema }: Tool): ObjectSchema {
  return inputSchema as unknown as ObjectSchema;
}

/** The same tool under another name. */
export function underName(tool: Tool, name: string, more: Partial<Tool> = {}): Tool {
  return defineTool({ ...tool, ...more, name }) as Tool;
}
