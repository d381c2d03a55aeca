import { type Content, output, type Tool, type ToolContext } from "@toolkeep/core";
import type { ToolExecutionOptions, ToolSet } from "ai";
import type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
import { defineForeign } from "./define-foreign.ts";
import { type InputShape, inputShape } from "./input-shape.ts";
import { contentOf } from "./model-output.ts";
import { runForeignTool } from "./run-foreign-tool.ts";
import type { SdkTool } from "./sdk-tool.ts";

export interface FromAiSdkOptions {
  /** What is said beside each tool, by its name. */
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
}

export interface FromAiSdk {
  /** Register them with the origin `{ layer: "code", source: "ai-sdk" }`: what others wrote is not taken at its word. */
  readonly tools: readonly Tool[];
  readonly ungoverned: readonly UngovernedTool[];
}

/**
 * Makes tools of the AI SDK ours. Those without `execute` and those that a provider executes cannot be governed:
 * they are left out and named in `ungoverned`. `needsApproval` is not looked at: use `govern` for that.
 * @throws ToolkeepError `invalid_tool` for a name or a schema that cannot be used.
 */
export async function fromAiSdk(tools: ToolSet, options: FromAiSdkOptions = {}): Promise<FromAiSdk> {
  const made: Tool[] = [];
  for (const [name, tool] of Object.entries(tools)) {
    if (whyUngoverned(tool) !== undefined) continue;
    const declared = options.tools?.[name];
    const shape = await inputShape(tool.inputSchema, declared?.actionArgument);
    made.push(await toTool({ name, tool, declared, shape, run: (input, ctx) => runAlone(tool, input, ctx) }));
  }
  return { tools: made, ungoverned: ungovernedIn(tools) };
}

/** One tool on its way to us, and who runs it. */
export interface SdkToolParts {
  readonly name: string;
  readonly tool: SdkTool;
  readonly declared: ToolDeclaration | undefined;
  readonly shape: InputShape;
  /** Runs it with what its schema made of the arguments. */
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

/** What is declared speaks of the value that the tool is run with, and not of what the model wrote. */
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

/** Why nothing of what a tool does passes the gate; `undefined` for one that is executed here. */
export function whyUngoverned(tool: SdkTool): string | undefined {
  if (tool.type === "provider" && tool.isProviderExecuted) {
    return "The provider executes it on its own machines; no call of it comes past here.";
  }
  return typeof tool.execute === "function"
    ? undefined
    : "It has no `execute`: the client runs it, and sends what it likes as its output.";
}

export function ungovernedIn(tools: ToolSet): readonly UngovernedTool[] {
  return Object.entries(tools).flatMap(([name, tool]) => {
    const why = whyUngoverned(tool);
    return why === undefined ? [] : [{ name, why }];
  });
}

/** Outside of the SDK's loop there are no messages and no context; what the model sees is made here. */
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
  return output({ data, content });
}
