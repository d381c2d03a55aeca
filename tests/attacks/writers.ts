import { createRegistry, defineTool, type Effect, type Registry, type Tool } from "@toolkeep/core";
import { type Arguments, fsWrite } from "@toolkeep/core/internal";
import { tool as aiTool } from "ai";
import { z } from "zod";
import { bash, type Execution, write } from "./tools.ts";

/** Every kind of tool that can write a file: our own, a shell, one of a server, one of another kit. */
export function writers(executions: Execution[]): Registry {
  const registry = createRegistry();
  const world = { executions, files: {}, prints: "done" };
  registry.register(write(world) as Tool);
  registry.register(bash(world) as Tool);
  registry.register(remoteWriter(executions), { origin: { layer: "user", source: "mcp", id: "files" } });
  registry.register(foreignWriter(executions), { origin: { layer: "user", source: "ai-sdk", id: "notes" } });
  return registry;
}

/** What the host application declares about a server's tool: which arguments are paths, and what happens to them. */
const EFFECT_BY_ARGUMENT: Readonly<Record<string, (path: string) => Effect>> = { destination: fsWrite };

function effectsByArgument(args: Arguments): readonly Effect[] {
  return Object.entries(EFFECT_BY_ARGUMENT).map(([name, effectOf]) => effectOf(String(args[name])));
}

function remoteWriter(executions: Execution[]): Tool {
  return defineTool({
    name: "files_put",
    description: "Puts a file on a server of files.",
    inputSchema: {
      type: "object",
      properties: { destination: { type: "string" }, body: { type: "string" } },
      required: ["destination"],
    },
    requires: { fs: { write: ["/**"] } },
    remote: { serverId: "files", tool: "put" },
    effects: effectsByArgument,
    execute(args) {
      executions.push({ tool: "files_put", args });
      return "put";
    },
  }) as Tool;
}

function foreignWriter(executions: Execution[]): Tool {
  const saveNote = aiTool({
    description: "Saves a note.",
    inputSchema: z.object({ file: z.string(), text: z.string() }),
    execute: async (args) => {
      executions.push({ tool: "save_note", args });
      return "saved";
    },
  });
  return defineTool({
    name: "save_note",
    description: String(saveNote.description),
    inputSchema: saveNote.inputSchema as z.ZodType<{ file: string; text: string }>,
    requires: { fs: { write: ["/**"] } },
    effects: ({ file }) => [fsWrite(file)],
    execute: (args, { toolCallId, abortSignal }) =>
      saveNote.execute?.(args, { toolCallId, abortSignal, messages: [], context: {} }),
  }) as Tool;
}
