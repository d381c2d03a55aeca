import type { ToolCall } from "../contract/stages/call.ts";
import { kindOf } from "../schema/read-arguments.ts";

const FIELDS = new Set(["id", "name", "arguments"]);

/**
 * Reads a tool call from the outside. It is closed: anything beyond id, name and arguments belongs
 * into the attributes of a trace span, and is refused here.
 */
export function readToolCall(value: unknown): { readonly call: ToolCall } | { readonly error: string } {
  if (typeof value !== "object" || value === null)
    return { error: `a tool call is an object, not ${kindOf(value)}` };
  const foreign = Object.keys(value).find((field) => !FIELDS.has(field));
  if (foreign !== undefined) return { error: `a tool call has no field ${JSON.stringify(foreign)}` };
  const { id, name, arguments: args } = value as Record<string, unknown>;
  if (typeof id !== "string" || id === "") return { error: "a tool call needs an id" };
  if (typeof name !== "string" || name === "") return { error: "a tool call needs a name" };
  if (typeof args !== "string" && (typeof args !== "object" || args === null || Array.isArray(args))) {
    return { error: `the arguments of a tool call are an object, not ${kindOf(args)}` };
  }
  return { call: { id, name, arguments: args as ToolCall["arguments"] } };
}
