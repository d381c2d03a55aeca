import type { Content } from "../contract/call/result.ts";
import { headOf } from "./bound-data.ts";

/** Content cut to fit, and how much was left out. */
export interface BoundedContent {
  readonly content: readonly Content[];
  readonly kept: number;
  readonly lost: number;
}

const encoder = new TextEncoder();

/** Keeps blocks from the first on, as far as they fit; the text that does not is cut. `undefined` when all fits. */
export function boundContent(content: readonly Content[], limitBytes: number): BoundedContent | undefined {
  const sizes = content.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limitBytes) return undefined;
  const head: Content[] = [];
  let budget = limitBytes;
  for (const [index, block] of content.entries()) {
    const size = sizes[index] as number;
    if (size <= budget) head.push(block);
    else if (block.type === "text" && budget > 0)
      head.push({ type: "text", text: headOf(block.text, budget) });
    budget -= Math.min(size, budget);
  }
  const kept = head.reduce((sum, block) => sum + sizeOf(block), 0);
  return { content: head, kept, lost: total - kept };
}

/** As much as its frame takes, so that there are not too many of them either. */
const LEAST_BYTES = 32;

/** All that a block says counts, and one that says nothing counts too. */
function sizeOf(block: Content): number {
  const { type } = block;
  const said = type === "text" ? block.text : `${block.mimeType}${block.alt ?? ""}`;
  const data = type === "image" ? block.data.length : 0;
  return Math.max(encoder.encode(said).length + data, LEAST_BYTES);
}
