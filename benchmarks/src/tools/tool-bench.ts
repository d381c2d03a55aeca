import { join } from "node:path";
import { createSession, defineTool, type Tool, type ToolResult } from "@toolkeep/core";
import { noSandbox, openWorkspace } from "@toolkeep/node";
import { editTool } from "../../../packages/tools/src/files/edit-tool.ts";
import { readTool } from "../../../packages/tools/src/files/read-tool.ts";
import { globTool } from "../../../packages/tools/src/search/glob-tool.ts";
import { grepTool } from "../../../packages/tools/src/search/grep-tool.ts";

/** The number of executions in one call of a repeated tool. */
export const REPEATED = 10;

/** A session with the measured tools and the whole pipeline. */
export interface ToolBench extends AsyncDisposable {
  /** @throws if the call fails. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

export async function openToolBench(root: string): Promise<ToolBench> {
  // Nothing here runs a command.
  const workspace = await openWorkspace({
    roots: [root],
    sandbox: noSandbox(),
    sidecars: join(root, "../toolkeep-sidecars"),
  });
  const session = await createSession({
    ...workspace.sessionOptions(),
    tools: [...FILE_TOOLS, ...FILE_TOOLS.map(repeated), globTool() as Tool, grepTool() as Tool],
    policy: [{ permission: "*", action: "allow" }],
  });
  let calls = 0;
  return {
    async call(name, args) {
      calls += 1;
      const result = await session.call({ id: `c${calls}`, name, arguments: args });
      if (!result.ok) throw new Error(`${name} ${JSON.stringify(args)}: ${result.failure?.message}`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace.close();
    },
  };
}

const FILE_TOOLS = [editTool(), readTool()] as readonly Tool[];

/** The tool many times in one call, which makes the overhead of the call negligible. An edit goes back and forth. */
function repeated(tool: Tool): Tool {
  return defineTool({
    ...tool,
    name: `${tool.name}_repeated`,
    async execute(args, ctx) {
      let next = args as Readonly<Record<string, unknown>>;
      for (let index = 0; index < REPEATED; index += 1) {
        await tool.execute(next, ctx);
        next = { ...next, ...swapped(next) };
      }
      return "done";
    },
  }) as Tool;
}

function swapped({ old_string, new_string }: Readonly<Record<string, unknown>>): object {
  return old_string === undefined ? {} : { old_string: new_string, new_string: old_string };
}
