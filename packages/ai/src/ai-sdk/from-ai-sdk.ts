import { type Content, type Tool, type ToolContext, toolOutput } from "@toolkeep/core";
import type { ToolExecutionOptions, ToolSet } from "ai";
import type { ToolDeclaration, UngovernedTool } from "../foreign/foreign-tool.ts";
import { assertDeclared, defineForeign, runForeignTool } from "../foreign/foreign-tool.ts";
import type { SdkTool } from "../foreign/input-shape.ts";
import { type InputShape, inputShape } from "../foreign/input-shape.ts";
import { contentOf } from "./model-output.ts";

export interface FromAiSdkOptions {
  /** Declarations by tool name. */
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
}

export interface FromAiSdk {
  /** The tools, with their origin. */
  readonly tools: readonly Tool[];
  readonly ungoverned: readonly UngovernedTool[];
}

/**
 * Converts AI SDK tools for a session of your own. Tools without `execute` and tools that a provider executes cannot be
 * governed: they are omitted and listed in `ungoverned`. Ignores `needsApproval`: use `govern` for that.
 * @throws ToolkeepError `invalid_tool` for an invalid name or schema.
 *
 * @example
 * const { tools } = await fromAiSdk(myTools, { tools: { pay: { requires: { capabilities: ["bank.pay"] } } } });
 * const session = await createSession({ tools, policy, approver });
 */
export async function fromAiSdk(tools: ToolSet, options: FromAiSdkOptions = {}): Promise<FromAiSdk> {
  assertDeclared(options, Object.keys(tools));
  const made: Tool[] = [];
  for (const [name, tool] of Object.entries(tools)) {
    if (whyUngoverned(tool) !== undefined) continue;
    const declared = options.tools?.[name];
    const shape = await inputShape(tool.inputSchema, declared?.actionArgument);
    made.push(await toTool({ name, tool, declared, shape, run: (input, ctx) => runAlone(tool, input, ctx) }));
  }
  return { tools: made, ungoverned: ungovernedIn(tools) };
}

/** The parts of a converted tool. */
export interface SdkToolParts {
  readonly name: string;
  readonly tool: SdkTool;
  readonly declared: ToolDeclaration | undefined;
  readonly shape: InputShape;
  /** Runs the tool with the transformed arguments. */
  run(input: unknown, ctx: ToolContext): unknown;
}

export async function toTool({ name, tool, declared, shape, run }: SdkToolParts): Promise<Tool> {
  return defineForeign({
    name,
    description: tool.description,
    inputSchema: shape.schema,
    code: String(tool.execute),
    declared: {
      ...(tool.title === undefined ? {} : { label: tool.title }),
      ...declared,
      ...shapedDeclaration(declared, shape),
    },
    run: (args, ctx) => run(shape.valueOf(args), ctx),
  });
}

/** Declarations get the value that the tool is run with, not what the model wrote. */
function shapedDeclaration(
  { effects, deriveApprovalKey }: ToolDeclaration = {},
  shape: InputShape,
): ToolDeclaration {
  const made = (args: Readonly<Record<string, unknown>>) => shape.valueOf(args) as typeof args;
  return {
    ...(effects === undefined ? {} : { effects: (args, resolver) => effects(made(args), resolver) }),
    ...(deriveApprovalKey === undefined
      ? {}
      : { deriveApprovalKey: (args) => deriveApprovalKey(made(args)) }),
  };
}

/** Why a tool cannot be governed; `undefined` for a tool that is executed here. */
export function whyUngoverned(tool: SdkTool): string | undefined {
  if (tool.type === "provider" && tool.isProviderExecuted) {
    return "The provider executes it on its own servers.";
  }
  return typeof tool.execute === "function"
    ? undefined
    : "It has no `execute`: the client runs it and can send any output.";
}

export function ungovernedIn(tools: ToolSet): readonly UngovernedTool[] {
  return Object.entries(tools).flatMap(([name, tool]) => {
    const why = whyUngoverned(tool);
    return why === undefined ? [] : [{ name, why }];
  });
}

/** Outside the loop of the SDK there are no messages and no context; the model output is made here. */
async function runAlone(tool: SdkTool, input: unknown, ctx: ToolContext): Promise<unknown> {
  const options: ToolExecutionOptions<unknown> = {
    toolCallId: ctx.toolCallId,
    messages: [],
    abortSignal: ctx.abortSignal,
    context: undefined,
  };
  const data = await runForeignTool(() => tool.execute?.(input, options), ctx);
  if (tool.toModelOutput === undefined) return data;
  const shown = await tool.toModelOutput({ toolCallId: ctx.toolCallId, input, output: data });
  const content: readonly Content[] = contentOf(shown);
  return toolOutput({ data, content });
}
