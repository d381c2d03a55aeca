import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/client";

/** Identifies everything that a tool's definition shows to models and users. The order of fields does not matter. */
export function definitionHash(tool: McpTool): string {
  return sizedHash(tool).hash;
}

/** The same, with the size of the definition in characters. */
export function sizedHash(tool: McpTool): { readonly hash: string; readonly size: number } {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const fields = { name, title, description, inputSchema, outputSchema, annotations };
  const text = canonical(fields);
  return { hash: createHash("sha256").update(text).digest("hex"), size: text.length };
}

/** An injective text form of a value: JSON with sorted keys, and names for numbers that JSON cannot express. */
function canonical(value: unknown): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")}}`;
}
