import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { type Content, ToolFailure, type ToolResult } from "@toolkeep/core";
import { harmlessText, modelContent } from "@toolkeep/core/internal";
import type { McpResourceDetails } from "../source/resource-output.ts";

type Contents = ReadResourceResult["contents"][number];

/** The resource that was read, with the media type it is listed with. */
interface ReadResource {
  readonly uri: string;
  readonly mimeType: string | undefined;
}

/**
 * The result of a governed read of a resource, as a client expects it: redacted, bounded, and in parts if the tool
 * returned parts.
 * @throws ToolFailure `too_large` for content that is not text and is too large to pass on.
 */
export function resourceContents({ uri, mimeType }: ReadResource, result: ToolResult): ReadResourceResult {
  const { details, truncation } = result;
  const kept = (details as { readonly mcp?: McpResourceDetails } | undefined)?.mcp;
  if (kept?.isTooLarge === true)
    throw new ToolFailure("too_large", `The resource ${JSON.stringify(uri)} is too large to pass on.`);
  const contents = Array.isArray(kept?.contents) ? kept.contents : [];
  // Texts and images are shortened for the model; for a client only texts are.
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
