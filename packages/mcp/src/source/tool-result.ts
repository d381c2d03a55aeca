import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { type Content, output, type ToolOutput, text } from "@toolkeep/core";
import type { Label } from "@toolkeep/core/internal";

/** What a server answered, beside what the model is shown of it. Under `mcp` in the details of a result. */
export interface McpDetails {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** What is kept of an answer as it came; a larger one is shown and bounded, and kept no second time. */
const MOST_DETAIL_BYTES = 200 * 1024;
/** Each costs time wherever it is looked at. */
const MOST_BLOCKS = 1_000;
const LONGEST_ERROR = 10_000;
const NO_WORDS = "The server reported a failure without saying why.";

/**
 * What becomes of a server's answer: texts and pictures for the model, a line about everything else, and the blocks
 * as they came in the details, where texts and pictures do not say it all. Links are never followed.
 */
export function toolResult(result: CallToolResult, labels: readonly Label[]): ToolOutput {
  const { structuredContent, isError } = result;
  const blocks = result.content ?? [];
  const left = blocks.length - MOST_BLOCKS;
  const content = [
    ...blocks.slice(0, MOST_BLOCKS).flatMap(shownBlock),
    ...(left > 0 ? [text(`[${left} more blocks not shown]`)] : []),
  ];
  const more = { ...detailsOf(result), ...(labels.length === 0 ? {} : { labels }) };
  if (isError === true) {
    const words = content
      .map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`))
      .join("\n");
    // The model should read it and go on.
    return output({ success: false, needsFollowup: true, error: shortened(words), ...more });
  }
  return output({
    ...(structuredContent === undefined ? {} : { data: structuredContent }),
    // An answer that is data alone is shown as data.
    ...(content.length === 0 && structuredContent !== undefined
      ? {}
      : { content: content.length === 0 ? [text("(no output)")] : content }),
    ...more,
  });
}

/** What a model is shown of one block. */
export function shownBlock(block: ContentBlock): readonly Content[] {
  switch (block.type) {
    case "text":
      return [text(block.text)];
    case "image":
      return [{ type: "image", data: block.data, mimeType: block.mimeType }];
    case "audio":
      return [text(`[audio ${block.mimeType}, ${bytesIn(block.data)} bytes, not shown]`)];
    case "resource_link":
      return [text(`[resource link ${block.uri} not followed]`)];
    case "resource":
      return shownResource(block.resource);
    default:
      return [text(`[${String((block as { type?: unknown }).type)} not shown]`)];
  }
}

/** What was sent along is shown; it is in the answer already. */
export function shownResource(resource: {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
}): readonly Content[] {
  const { uri, mimeType = "application/octet-stream", text: words, blob } = resource;
  if (typeof words === "string") return [text(`[resource ${uri}]\n${words}`)];
  if (typeof blob === "string" && mimeType.startsWith("image/"))
    return [text(`[resource ${uri}]`), { type: "image", data: blob, mimeType }];
  return [
    text(`[resource ${uri}: ${mimeType}, ${bytesIn(typeof blob === "string" ? blob : "")} bytes, not shown]`),
  ];
}

function detailsOf({ content = [], structuredContent, _meta, isError }: CallToolResult): {
  details?: { mcp: McpDetails };
} {
  if (content.length > MOST_BLOCKS) return {};
  const isSaid = _meta === undefined && isError !== true && content.every(isPlain);
  if (isSaid) return {};
  const mcp = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(_meta === undefined ? {} : { _meta }),
  };
  return JSON.stringify(mcp).length > MOST_DETAIL_BYTES ? {} : { details: { mcp } };
}

/** Whether what the model is shown says everything that is in a block. */
function isPlain(block: ContentBlock): boolean {
  const known = block.type === "text" ? ["type", "text"] : ["type", "data", "mimeType"];
  return (
    (block.type === "text" || block.type === "image") &&
    Object.keys(block).every((key) => known.includes(key))
  );
}

function shortened(words: string): string {
  if (words.trim() === "") return NO_WORDS;
  const lost = words.length - LONGEST_ERROR;
  return lost <= 0 ? words : `${words.slice(0, LONGEST_ERROR)} [${lost} characters left out]`;
}

function bytesIn(base64: string): number {
  return Math.floor((base64.replaceAll("=", "").length * 3) / 4);
}
