import { ToolFailure } from "@toolkeep/core";
import type { TextQuery } from "./show-text.ts";

/** A document that is read in blocks: pages or cells. */
export interface Blocks {
  readonly what: "page" | "cell";
  readonly count: number;
  /** The text of a block, counted from 1. */
  block(number: number): Promise<string> | string;
}

/** Shows as many blocks of a document as fit, and how to continue. */
export async function showBlocks({ what, count, block }: Blocks, query: TextQuery): Promise<string> {
  const { path, offset = 1, limit = count, mostBytes } = query;
  if (count === 0) return `${path} has no ${what}s.`;
  if (offset > count)
    throw new ToolFailure("invalid_arguments", `${JSON.stringify(path)} has ${count} ${what}s.`, {
      hint: "Use a smaller offset.",
    });
  const parts: string[] = [];
  let remaining = mostBytes;
  let number = offset;
  for (; number <= count && number < offset + limit; number += 1) {
    const text = `[${what} ${number} of ${count}]\n${await block(number)}`;
    const size = new TextEncoder().encode(text).length;
    if (size > remaining && parts.length > 0) break;
    parts.push(
      size > remaining ? `${headOf(text, remaining)}\n… [the rest of this ${what} is omitted]` : text,
    );
    remaining -= size;
  }
  if (number <= count) parts.push(`(There is more: continue with offset ${number}.)`);
  return parts.join("\n\n");
}

/** The first bytes of a text, in whole characters. */
export function headOf(text: string, mostBytes: number): string {
  const bytes = new Uint8Array(mostBytes);
  return text.slice(0, new TextEncoder().encodeInto(text, bytes).read);
}
