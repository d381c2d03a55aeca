import { harmlessText, invalidOption, tokenCounter } from "@toolkeep/core/internal";
import type { PromptFacts, PromptPart } from "./prompt-part.ts";

/** A system prompt, and how many tokens each of its parts has. Tokens are estimated. */
export interface ComposedPrompt {
  readonly text: string;
  readonly tokens: number;
  /** In the order of the text, without the parts that are left out. */
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
}

/**
 * Composes a system prompt from its parts, in the order of the list. Put what changes least first: providers cache a
 * prompt from its beginning. Characters that are not visible are written out, wherever a part comes from.
 * @throws ToolkeepError `invalid_option` for two parts with one name.
 *
 * @example
 * const { text, tokens } = await composePrompt(promptParts({ instructions, skills }), { tools });
 */
export async function composePrompt(
  parts: readonly PromptPart[],
  facts: PromptFacts,
): Promise<ComposedPrompt> {
  assertNames(parts);
  const countTokens = await tokenCounter();
  // In a fixed order, however the tools were registered: servers connect in any order.
  const tools = facts.tools.toSorted(byName);
  const composed: { readonly name: string; readonly text: string }[] = [];
  for (const part of parts) {
    const text = harmlessText((await part.text({ tools })).replaceAll("\r\n", "\n")).trim();
    if (text !== "") composed.push({ name: part.name, text });
  }
  const text = composed.map((part) => part.text).join("\n\n");
  return {
    text,
    tokens: countTokens(text),
    parts: composed.map((part) => ({ name: part.name, tokens: countTokens(part.text) })),
  };
}

function assertNames(parts: readonly PromptPart[]): void {
  const seen = new Set<string>();
  for (const { name } of parts) {
    if (seen.has(name))
      throw invalidOption(
        `The prompt has two parts with the name ${JSON.stringify(name)}. Rename one of them.`,
      );
    seen.add(name);
  }
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
