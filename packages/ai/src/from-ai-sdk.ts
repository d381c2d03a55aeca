import { type Content, output, type Tool, type ToolContext } from "@toolkeep/core";
import type { ToolExecutionOptions, ToolSet } from "ai";
import { type SchemaUse, schemaOf } from "./ai-schema.ts";
import type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
import { defineForeign } from "./define-foreign.ts";
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
    made.push(
      await toTool({ name, tool, declared, use: "check", run: (args, ctx) => runAlone(tool, args, ctx) }),
    );
  }
  return { tools: made, ungoverned: ungovernedIn(tools) };
}

/** One tool on its way to us, and who runs it. */
export interface SdkToolParts {
  readonly name: string;
  readonly tool: SdkTool;
  readonly declared: ToolDeclaration | undefined;
  readonly use: SchemaUse;
  run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): unknown;
}

export async function toTool({ name, tool, declared, use, run }: SdkToolParts): Promise<Tool> {
  return defineForeign({
    name,
    description: tool.description,
    inputSchema: await schemaOf(tool.inputSchema, use),
    code: String(tool.execute),
    declared: tool.title === undefined ? declared : { label: tool.title, ...declared },
    run,
  });
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
