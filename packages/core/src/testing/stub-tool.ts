import { defineTool } from "../contract/tool/define-tool.ts";
import type { Tool, ToolContext, ToolSpec } from "../contract/tool/tool.ts";

/** A tool for tests, with a record of its calls. */
export interface StubTool {
  readonly tool: Tool;
  /** The arguments of every execution so far. */
  readonly executed: readonly unknown[];
}

type StubSpec = Partial<Omit<ToolSpec<Record<string, unknown>, unknown, unknown>, "name" | "execute">>;

/** A tool for tests: takes anything, needs nothing, does what it is told, and remembers how often. */
export function stubTool(
  name: string,
  execute: (args: Record<string, unknown>, ctx: ToolContext) => unknown = () => "done",
  spec: StubSpec = {},
): StubTool {
  const executed: unknown[] = [];
  const tool = defineTool({
    description: `A stub of ${name}.`,
    requires: {},
    idempotent: true,
    mode: "read",
    ...spec,
    name,
    inputSchema: { type: "object" },
    execute(args, ctx) {
      executed.push(args);
      return execute(args, ctx);
    },
  });
  return { tool, executed };
}
