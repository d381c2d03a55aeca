import type { Session } from "@toolkeep/core";
import { toInstructions } from "@toolkeep/core/formats";
import { type RegisteredTool, toolList, usableTools } from "@toolkeep/core/internal";
import { composePrompt } from "../prompt/compose-prompt.ts";
import type { PromptPart } from "../prompt/prompt-part.ts";
import type { ReadOptions } from "./options/agent-options.ts";
import { OUTPUT_NOTE } from "./record/shown-result.ts";
import { hiddenTools } from "./shown-tools.ts";

interface PromptSource extends Pick<ReadOptions, "instructions" | "prompt" | "toolCalling"> {
  readonly session: Session;
  /** The tools that the model gets definitions of from the first step on. */
  readonly shown: readonly RegisteredTool[];
}

/** The system prompt of a run: the same for all of its steps. */
export async function systemPrompt(source: PromptSource): Promise<string> {
  const { instructions, prompt = [], session, shown, toolCalling } = source;
  const tools = session.tools();
  const usable = usableTools(session);
  const parts: readonly PromptPart[] = [
    ...(instructions === undefined ? [] : [{ name: "instructions", text: () => instructions }]),
    ...prompt,
    ...(toolCalling === "text" ? [{ name: "tool-calls", text: () => toInstructions(shown) }] : []),
    { name: "hidden-tools", text: () => hiddenTools(tools, shown) },
    { name: "undescribed-tools", text: () => undescribed(usable) },
    ...(tools.length === 0 ? [] : [{ name: "tool-output", text: () => OUTPUT_NOTE }]),
  ];
  const facts = { tools: usable.map(({ name, tool }) => ({ name, description: tool.description })) };
  return (await composePrompt(parts, facts)).text;
}

/** How to call the tools that the model gets no definition of. */
function undescribed(usable: readonly RegisteredTool[]): string {
  const tools = usable.filter(({ tool }) => tool.described === false);
  return tools.length === 0
    ? ""
    : `# Further tools\nYou can call these as well, by name, although no definition of them is given.\n\n${toolList(tools)}`;
}
