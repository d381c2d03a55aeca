import { defineTool, type Schema, type Tool, type ToolContext } from "@toolkeep/core";
import { webDigest } from "@toolkeep/core/journal";
import type { ToolDeclaration } from "./declaration.ts";

/** A tool of another framework, as far as all of them are alike. */
export interface ForeignTool {
  readonly name: string;
  readonly description: unknown;
  readonly inputSchema: Schema;
  /** What runs, as a text, where it can be seen: approvals are bound to it. */
  readonly code?: string;
  readonly declared: ToolDeclaration | undefined;
  run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): unknown;
}

/** Makes it ours. What nobody declared is unknown, and asks. @throws ToolkeepError `invalid_tool`. */
export async function defineForeign(foreign: ForeignTool): Promise<Tool> {
  const { name, description, inputSchema, code, declared = {}, run } = foreign;
  const { streams: _streams, requires = "unknown", ...said } = declared;
  const isSaid = typeof description === "string" && description.trim() !== "";
  return defineTool({
    ...said,
    name,
    description: isSaid ? description : `The tool ${name}.`,
    inputSchema,
    requires,
    // A name may suggest that it only reads; that it may be run twice must be said.
    idempotent: declared.idempotent ?? false,
    ...(code === undefined ? {} : { codeHash: await webDigest(new TextEncoder().encode(code)) }),
    execute: (args, ctx) => run(args as Readonly<Record<string, unknown>>, ctx as ToolContext),
  }) as Tool;
}
