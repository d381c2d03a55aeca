import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";

/** Stands for everything that a tool says of itself to models and people. The order of fields does not matter. */
export function definitionHash(tool: McpTool): string {
  return sizedHash(tool).hash;
}

/** The same, with how much it says, in characters. */
export function sizedHash(tool: McpTool): { readonly hash: string; readonly size: number } {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { name, title, description, inputSchema, outputSchema, annotations };
  const text = JSON.stringify(sorted(said));
  return { hash: createHash("sha256").update(text).digest("hex"), size: text.length };
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}
