import type { JsonSchema } from "../contract/call/schema-type.ts";
import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";

/** How a tool is described to a model. */
export interface DefinitionOptions {
  /**
   * Asks the provider to make the model follow the schema exactly. Default: `false`. Ignored for a schema that the
   * provider's strict mode cannot express, and for tools of MCP servers.
   */
  readonly strict?: boolean;
  /** Replaces the `required` list of the schema. */
  readonly required?: readonly string[];
}

/** A tool, or a tool as `session.tools()` lists it. */
export type DescribedTool = Tool | RegisteredTool;

export function toolOf(described: DescribedTool): Tool {
  return isRegistered(described) ? described.tool : described;
}

/** Strict schemas change what is required, which the server of an MCP tool does not know of. */
export function isStrict(described: DescribedTool, { strict }: DefinitionOptions): boolean {
  return strict === true && !(isRegistered(described) && described.origin.source === "mcp");
}

export function inputSchemaOf(described: DescribedTool, { required }: DefinitionOptions = {}): JsonSchema {
  const { $schema: _dialect, ...schema } = toJsonSchema(toolOf(described).inputSchema);
  return required === undefined ? schema : { ...schema, required };
}

function isRegistered(described: DescribedTool): described is RegisteredTool {
  return "tool" in described;
}
