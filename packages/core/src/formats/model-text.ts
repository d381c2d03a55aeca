import type { Content, ToolResult, Truncation } from "../contract/call/result.ts";
import { harmlessText } from "../results/harmless-text.ts";

/**
 * What a model sees of a result, as blocks. Details never appear here. Nothing is hidden in it: what has no
 * picture of its own, or changes how its neighbours look, is written out.
 */
export function modelContent(result: ToolResult): readonly Content[] {
  return visibleContent(result).map((block) =>
    block.type === "text" ? { ...block, text: harmlessText(block.text) } : block,
  );
}

function visibleContent(result: ToolResult): readonly Content[] {
  const blocks: Content[] = result.ok || result.content !== undefined ? [...outputContent(result)] : [];
  if (!result.ok) blocks.unshift({ type: "text", text: failureText(result) });
  const note = truncationNote(result);
  if (note !== undefined) blocks.push({ type: "text", text: note });
  return blocks;
}

/** The same as one text, for models and shapes without blocks. A picture becomes one line about it. */
export function modelText(result: ToolResult): string {
  return modelContent(result)
    .map((block) => (block.type === "text" ? block.text : `[image: ${block.alt ?? block.mimeType}]`))
    .join("\n");
}

function outputContent(result: ToolResult): readonly Content[] {
  if (result.content !== undefined) return result.content;
  const { data } = result;
  const text =
    data === undefined ? (result.message ?? "") : typeof data === "string" ? data : JSON.stringify(data);
  // Some providers refuse an empty block.
  return [{ type: "text", text: text === "" ? "(no output)" : text }];
}

/** What happened and what to do about it, in one text. */
export function failureText(result: ToolResult): string {
  const { message = "The tool failed.", hint } = result.failure ?? {};
  if (hint === undefined) return message;
  return /[.!?]$/.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}

/** The note on an output that was cut: loss is always counted, and it is said who caused it. */
export function truncationNote({ truncation }: Pick<ToolResult, "truncation">): string | undefined {
  if (truncation === undefined) return undefined;
  const { by, unit, kept, lost, path, readBy = [] } = truncation;
  const who = by === "tool" ? "the tool itself" : "the runtime";
  const where =
    path === undefined || readBy.length === 0
      ? `The rest ${path === undefined ? "was not kept" : "is kept, but no tool here reads it"}. Ask for less at a time.`
      : `The whole output is at ${path}: use ${readBy.map((name) => `\`${name}\``).join(" or ")} with that path.`;
  return `[Cut by ${who}: ${kept} ${unit} shown, ${lost} left out${partsOf(truncation)}. ${where}]`;
}

const MOST_PARTS = 5;

function partsOf({ leftOut = {} }: Truncation): string {
  const parts = Object.entries(leftOut).map(([path, lost]) => `${lost} of ${path}`);
  if (parts.length === 0) return "";
  const rest = parts.length > MOST_PARTS ? [`and ${parts.length - MOST_PARTS} more`] : [];
  return ` (${[...parts.slice(0, MOST_PARTS), ...rest].join(", ")})`;
}
