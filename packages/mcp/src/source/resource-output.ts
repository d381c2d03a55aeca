import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { textContent } from "@toolkeep/core";
import type { OutputFields } from "@toolkeep/core/internal";
import { shownResource } from "./tool-result.ts";

type Contents = ReadResourceResult["contents"];

/** What a server returned for a resource, in addition to what the model sees. Under `mcp` in the details of a result. */
export interface McpResourceDetails {
  /** As received. */
  readonly contents?: Contents;
  /** There is more than can be kept, and it cannot be shown as text. */
  readonly isTooLarge?: true;
}

const MOST_KEPT = 2 ** 20;

/** A resource as text for the model, and complete for a gateway that passes it on. */
export function resourceOutput(contents: Contents): OutputFields & { details: { mcp: McpResourceDetails } } {
  const shown = contents.flatMap(shownResource);
  return {
    content: shown.length === 0 ? [textContent("(empty)")] : shown,
    details: { mcp: detailsOf(contents) },
  };
}

function detailsOf(contents: Contents): McpResourceDetails {
  if (JSON.stringify(contents).length <= MOST_KEPT) return { contents };
  return contents.some((one) => "blob" in one) ? { isTooLarge: true } : {};
}
