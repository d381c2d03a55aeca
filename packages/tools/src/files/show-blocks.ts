import { ToolFailure } from "@toolkeep/core";
import type { TextQuery } from "./show-text.ts";

/** A document that is read piece by piece: pages, or cells. */
export interface Blocks {
  readonly what: "page" | "cell";
  readonly count: number;
  /** The text of one; the first is 1. */
  block(number: number): Promise<string> | string;
}

/** Shows pieces of a document one after the other, as many as fit, and how to go on. */
export async function showBlocks({ what, count, block }: Blocks, query: TextQuery): Promise<string> {
  const { path, offset = 1, limit = count, mostBytes } = query;
  if (count === 0) return `${path} has no ${what}s.`;
  if (offset > count)
    throw new ToolFailure("invalid_arguments", `${JSON.stringify(path)} has ${count} ${what}s.`, {
      hint: "Begin further up.",
    });
  const parts: string[] = [];
  let room = mostBytes;
  let number = offset;
  for (; number <= count && number < offset + limit; number += 1) {
    const text = `[${what} ${number} of ${count}]\n${await block(number)}`;
    const size = new TextEncoder().encode(text).length;
    if (size > room && parts.length > 0) break;
    parts.push(size > room ? `${headOf(text, room)}\n… [the rest of this ${what} is left out]` : text);
    room -= size;
  }
  if (number <= count) parts.push(`(There is more: go on with offset ${number}.)`);
  return parts.join("\n\n");
}

/** So many bytes, in whole characters. */
export function headOf(text: string, mostBytes: number): string {
  const bytes = new Uint8Array(mostBytes);
  return text.slice(0, new TextEncoder().encodeInto(text, bytes).read);
}
