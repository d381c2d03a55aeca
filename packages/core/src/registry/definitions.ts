import type { RegisteredTool } from "../contract/call.ts";
import type { JsonSchema } from "../contract/schema-type.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { expandAllowed } from "./allow-list.ts";
import { toAnthropicStrict } from "./anthropic-strict.ts";
import { toOpenAiStrict } from "./openai-strict.ts";

/** What a model is told of a tool. It never holds the executable half; the name brings the two together. */
export interface DefinitionOptions {
  /** Constrains the model to the schema, where the schema allows it. Tools of MCP servers are left as they are. */
  readonly strict?: boolean;
  /** Puts this list in the place of the schema's own `required`. */
  readonly required?: readonly string[];
}

/** OpenAI's function definition, as chat completions take it. */
export function toOpenAiDefinition(registered: RegisteredTool, options: DefinitionOptions = {}) {
  const { name, description } = registered.tool;
  return {
    type: "function" as const,
    function: { name, description, ...openAiParameters(registered, options) },
  };
}

/** The same in the flat form of OpenAI's responses. */
export function toOpenAiResponsesDefinition(registered: RegisteredTool, options: DefinitionOptions = {}) {
  const { name, description } = registered.tool;
  const { parameters, strict = false } = openAiParameters(registered, options);
  return { type: "function" as const, name, description, parameters, strict };
}

export function toAnthropicDefinition(registered: RegisteredTool, options: DefinitionOptions = {}) {
  const { name, description } = registered.tool;
  const schema = inputSchema(registered, options);
  const made = isStrict(registered, options) ? toAnthropicStrict(schema) : undefined;
  return made === undefined
    ? { name, description, input_schema: schema as ObjectSchema }
    : { name, description, input_schema: made as ObjectSchema, strict: true as const };
}

type ObjectSchema = JsonSchema & { readonly type: "object" };

/** One entry of Gemini's `functionDeclarations`. */
export function toGeminiDefinition(registered: RegisteredTool, options: DefinitionOptions = {}) {
  const { name, description } = registered.tool;
  return { name, description, parametersJsonSchema: inputSchema(registered, options) };
}

/** What the AI SDK's models take: a function tool with its JSON Schema. */
export function toAiSdkDefinition(registered: RegisteredTool, options: DefinitionOptions = {}) {
  const { name, description } = registered.tool;
  return { type: "function" as const, name, description, inputSchema: inputSchema(registered, options) };
}

/** A tool as an MCP server lists it. */
export function toMcpDefinition(registered: RegisteredTool) {
  const { name, label, description, outputSchema, mode, isModeGuessed, idempotent } = registered.tool;
  return {
    name,
    title: label,
    description,
    inputSchema: inputSchema(registered, {}),
    ...(outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema) }),
    annotations: {
      // Clients ask less for what only reads and destroys nothing. A name is no reason for that.
      readOnlyHint: mode === "read" && !isModeGuessed,
      ...(isModeGuessed && mode !== "destructive" ? {} : { destructiveHint: mode === "destructive" }),
      idempotentHint: idempotent,
      openWorldHint: mode === "external",
    },
  };
}

export interface InstructionOptions {
  readonly projectRoot?: string;
  /** Asks the model to say what it will do before it does it. On unless switched off. */
  readonly planMode?: boolean;
}

/** The tools in words, for models without function calling. */
export function toInstructions(tools: readonly RegisteredTool[], options: InstructionOptions = {}): string {
  const { projectRoot, planMode = true } = options;
  const lines = [
    "You can use tools. To call one, answer with one line of JSON and nothing else:",
    '{"tool": "<name>", "arguments": {<arguments>}}',
    ...(planMode ? ["Before the first call, say in one short list which steps you will take."] : []),
    ...(projectRoot === undefined ? [] : [`Paths are relative to ${projectRoot}.`]),
    "",
    ...tools.flatMap(({ tool }) => [
      `## ${tool.name}`,
      tool.description,
      `Arguments (JSON Schema): ${JSON.stringify(toJsonSchema(tool.inputSchema))}`,
      "",
    ]),
  ];
  return lines.join("\n").trimEnd();
}

/** The tools a model may see: all of them, or those a list of allowed tools means. */
export function visibleTools(
  tools: readonly RegisteredTool[],
  allowed?: readonly string[],
): readonly RegisteredTool[] {
  const names = new Set(
    expandAllowed(
      allowed,
      tools.map((tool) => tool.name),
    ),
  );
  return tools.filter((tool) => names.has(tool.name));
}

function openAiParameters(registered: RegisteredTool, options: DefinitionOptions) {
  const schema = inputSchema(registered, options);
  if (!isStrict(registered, options)) return { parameters: schema };
  const made = toOpenAiStrict(schema);
  return "unfit" in made ? { parameters: schema } : { parameters: made.schema, strict: true as const };
}

function isStrict(registered: RegisteredTool, { strict }: DefinitionOptions): boolean {
  return strict === true && registered.origin.source !== "mcp";
}

function inputSchema({ tool }: RegisteredTool, { required }: DefinitionOptions): JsonSchema {
  const { $schema: _dialect, ...schema } = toJsonSchema(tool.inputSchema);
  return required === undefined ? schema : { ...schema, required };
}
