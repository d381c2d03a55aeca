import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { type Content, type ToolOutput, textContent, toolOutput } from "@toolkeep/core";
import type { Label } from "@toolkeep/core/internal";
import { defined } from "@toolkeep/core/internal";

/** A server's answer, in addition to what the model sees. Under `mcp` in the details of a result. */
interface McpDetails {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** How much of an answer is kept as received; a larger one is shown shortened and not kept a second time. */
const MOST_DETAIL_BYTES = 200 * 1024;
/** Each block costs time in every later step. */
const MOST_BLOCKS = 1_000;
const LONGEST_ERROR = 10_000;
const NO_ERROR_TEXT = "The server reported a failure without saying why.";

/**
 * Converts a server's answer: texts and images for the model, a line about everything else, and the original blocks
 * in the details if texts and images do not express everything. Links are never followed.
 */
export function toolResult(result: CallToolResult, labels: readonly Label[]): ToolOutput {
  const { structuredContent, isError } = result;
  const blocks = result.content ?? [];
  const left = blocks.length - MOST_BLOCKS;
  const content = [
    ...blocks.slice(0, MOST_BLOCKS).flatMap(shownBlock),
    ...(left > 0 ? [textContent(`[${left} more blocks not shown]`)] : []),
  ];
  const more = { ...detailsOf(result), ...(labels.length === 0 ? {} : { labels }) };
  if (isError === true) {
    const message = content
      .map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`))
      .join("\n");
    // The model should read it and continue.
    return toolOutput({ success: false, needsFollowup: true, error: shortened(message), ...more });
  }
  return toolOutput({
    ...(structuredContent === undefined ? {} : { data: structuredContent }),
    // An answer that is only data is shown as data.
    ...(content.length === 0 && structuredContent !== undefined
      ? {}
      : { content: content.length === 0 ? [textContent("(no output)")] : content }),
    ...more,
  });
}

/** What the model sees of one block. */
export function shownBlock(block: ContentBlock): readonly Content[] {
  switch (block.type) {
    case "text":
      return [textContent(block.text)];
    case "image":
      return [{ type: "image", data: block.data, mimeType: block.mimeType }];
    case "audio":
      return [textContent(`[audio ${block.mimeType}, ${bytesIn(block.data)} bytes, not shown]`)];
    case "resource_link":
      return [textContent(`[resource link ${block.uri} not followed]`)];
    case "resource":
      return shownResource(block.resource);
    default:
      return [textContent(`[${String((block as { type?: unknown }).type)} not shown]`)];
  }
}

/** An embedded resource is shown; it is part of the answer already. */
export function shownResource(resource: {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
}): readonly Content[] {
  const { uri, mimeType = "application/octet-stream", text: message, blob } = resource;
  if (typeof message === "string") return [textContent(`[resource ${uri}]\n${message}`)];
  if (typeof blob === "string" && mimeType.startsWith("image/"))
    return [textContent(`[resource ${uri}]`), { type: "image", data: blob, mimeType }];
  return [
    textContent(
      `[resource ${uri}: ${mimeType}, ${bytesIn(typeof blob === "string" ? blob : "")} bytes, not shown]`,
    ),
  ];
}

function detailsOf({ content = [], structuredContent, _meta, isError }: CallToolResult): {
  details?: { mcp: McpDetails };
} {
  if (content.length > MOST_BLOCKS) return {};
  const isStated = _meta === undefined && isError !== true && content.every(isPlain);
  if (isStated) return {};
  const mcp = { content, ...defined({ structuredContent, _meta }) };
  return JSON.stringify(mcp).length > MOST_DETAIL_BYTES ? {} : { details: { mcp } };
}

/** Whether what the model sees expresses the whole block. */
function isPlain(block: ContentBlock): boolean {
  const known = block.type === "text" ? ["type", "text"] : ["type", "data", "mimeType"];
  return (
    (block.type === "text" || block.type === "image") &&
    Object.keys(block).every((key) => known.includes(key))
  );
}

function shortened(message: string): string {
  if (message.trim() === "") return NO_ERROR_TEXT;
  const lost = message.length - LONGEST_ERROR;
  return lost <= 0 ? message : `${message.slice(0, LONGEST_ERROR)} [${lost} characters left out]`;
}

function bytesIn(base64: string): number {
  return Math.floor((base64.replaceAll("=", "").length * 3) / 4);
}
