import { type DescribedTool, inputSchemaOf, toolOf } from "./definition.ts";

/** What `toInstructions` adds to the list of tools. */
export interface InstructionOptions {
  /** Told to the model as the directory that paths are relative to. */
  readonly projectRoot?: string;
  /** Asks the model to say what it will do before it does it. Default: `true`. */
  readonly planMode?: boolean;
}

/** The tools as text for a system prompt, for models without function calling. */
export function toInstructions(tools: readonly DescribedTool[], options: InstructionOptions = {}): string {
  const { projectRoot, planMode = true } = options;
  const lines = [
    "You can use tools. To call one, answer with one line of JSON and nothing else:",
    '{"tool": "<name>", "arguments": {<arguments>}}',
    ...(planMode ? ["Before the first call, say in one short list which steps you will take."] : []),
    ...(projectRoot === undefined ? [] : [`Paths are relative to ${projectRoot}.`]),
    "",
    toolList(tools),
  ];
  return lines.join("\n").trimEnd();
}

/** Each tool with what it does and its arguments. */
export function toolList(tools: readonly DescribedTool[]): string {
  const sections = tools.map((described) => {
    const { name, description } = toolOf(described);
    return `## ${name}\n${description}\nArguments (JSON Schema): ${JSON.stringify(inputSchemaOf(described))}`;
  });
  return sections.join("\n\n");
}
