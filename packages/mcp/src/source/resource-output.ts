import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { text } from "@toolkeep/core";
import type { OutputFields } from "@toolkeep/core/internal";
import { shownResource } from "./tool-result.ts";

type Contents = ReadResourceResult["contents"];

/** What a server gave for a resource, beside what the model is shown of it. Under `mcp` in the details of a result. */
export interface McpResourceDetails {
  /** As they came. */
  readonly contents?: Contents;
  /** There is more in it than can be kept, and it cannot be shown as text. */
  readonly isTooLarge?: true;
}

const MOST_KEPT = 2 ** 20;

/** A resource for the model, and whole for whoever passes it on. */
export function resourceOutput(contents: Contents): OutputFields & { details: { mcp: McpResourceDetails } } {
  const shown = contents.flatMap(shownResource);
  return {
    content: shown.length === 0 ? [text("(nothing in it)")] : shown,
    details: { mcp: detailsOf(contents) },
  };
}

function detailsOf(contents: Contents): McpResourceDetails {
  if (JSON.stringify(contents).length <= MOST_KEPT) return { contents };
  return contents.some((one) => "blob" in one) ? { isTooLarge: true } : {};
}
