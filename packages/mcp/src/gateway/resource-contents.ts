import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { type Content, ToolFailure, type ToolResult } from "@toolkeep/core";
import { modelContent } from "@toolkeep/core/formats";
import { harmlessText } from "@toolkeep/core/internal";
import type { McpResourceDetails } from "../source/resource-output.ts";

type Contents = ReadResourceResult["contents"][number];

/** The resource that was read, with the type it is listed with. */
interface ReadResource {
  readonly uri: string;
  readonly mimeType: string | undefined;
}

/**
 * What a governed reading of a resource gave, as a client takes it: redacted, bounded, and by parts where the tool
 * handed them over.
 * @throws ToolFailure `too_large` for what is not text and too large to be passed on.
 */
export function resourceContents({ uri, mimeType }: ReadResource, result: ToolResult): ReadResourceResult {
  const { details, truncation } = result;
  const kept = (details as { readonly mcp?: McpResourceDetails } | undefined)?.mcp;
  if (kept?.isTooLarge === true)
    throw new ToolFailure("too_large", `The resource ${JSON.stringify(uri)} is too large to be passed on.`);
  const contents = Array.isArray(kept?.contents) ? kept.contents : [];
  // What was cut for the model were texts and pictures; of what a client takes only texts are.
  const isWhole = truncation === undefined || contents.every((one) => "blob" in one);
  if (contents.length > 0 && isWhole) return { contents: contents.map(inPlainSight) };
  return { contents: modelContent(result).flatMap((block) => contentsOf({ uri, mimeType }, block)) };
}

function inPlainSight(contents: Contents): Contents {
  return "text" in contents ? { ...contents, text: harmlessText(contents.text) } : contents;
}

function contentsOf({ uri, mimeType }: ReadResource, block: Content): readonly Contents[] {
  if (block.type === "image") return [{ uri, mimeType: block.mimeType, blob: block.data }];
  const heading = `[resource ${uri}]`;
  if (block.text === heading) return [];
  const text = block.text.startsWith(`${heading}\n`) ? block.text.slice(heading.length + 1) : block.text;
  return [{ uri, text, ...(mimeType === undefined ? {} : { mimeType }) }];
}
