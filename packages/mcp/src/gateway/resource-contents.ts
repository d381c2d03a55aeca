import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { type Content, modelContent, type ToolResult } from "@toolkeep/core";

type Contents = ReadResourceResult["contents"][number];

/** The resource that was read, with the type it is listed with. */
interface ReadResource {
  readonly uri: string;
  readonly mimeType: string | undefined;
}

/**
 * What a governed reading of a resource gave, as a client takes it: redacted, bounded, and by parts where the tool
 * handed them over.
 */
export function resourceContents({ uri, mimeType }: ReadResource, result: ToolResult): ReadResourceResult {
  const { details, truncation } = result;
  const kept = (details as { readonly mcp?: { readonly contents?: unknown } } | undefined)?.mcp?.contents;
  if (truncation === undefined && Array.isArray(kept)) return { contents: kept as Contents[] };
  return { contents: modelContent(result).flatMap((block) => contentsOf({ uri, mimeType }, block)) };
}

function contentsOf({ uri, mimeType }: ReadResource, block: Content): readonly Contents[] {
  if (block.type === "image") return [{ uri, mimeType: block.mimeType, blob: block.data }];
  const heading = `[resource ${uri}]`;
  if (block.text === heading) return [];
  const text = block.text.startsWith(`${heading}\n`) ? block.text.slice(heading.length + 1) : block.text;
  return [{ uri, text, ...(mimeType === undefined ? {} : { mimeType }) }];
}
