import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";

/** Stands for everything that a tool says of itself to models and people. The order of fields does not matter. */
export function definitionHash(tool: McpTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { name, title, description, inputSchema, outputSchema, annotations };
  return createHash("sha256")
    .update(JSON.stringify(sorted(said)))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}
