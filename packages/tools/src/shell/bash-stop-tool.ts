import { defineTool } from "@toolkeep/core";
import type { BackgroundCommands } from "./background-commands.ts";

const INPUT = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1, maxLength: 64, description: "The id that bash_start returned." },
  },
  required: ["id"],
  additionalProperties: false,
} as const;

/** The tool `bash_stop`: kills a background command and everything it started. Its output can still be read. */
export function bashStopTool(commands: BackgroundCommands) {
  return defineTool({
    name: "bash_stop",
    label: "Stop a background command",
    description: "Stops a background command and everything it started. Its output can still be read.",
    mode: "safe_write",
    kind: "execute",
    gated: false,
    // Stopping twice is the same as stopping once.
    idempotent: true,
    inputSchema: INPUT,
    requires: {},
    dispose: () => commands.close(),
    async execute({ id }, ctx) {
      const command = commands.find(ctx.sessionId, id);
      const wasOver = command.outcome !== undefined;
      await command.stop();
      return { id, status: "ended", ...(wasOver ? { wasOver } : {}), ...command.outcome };
    },
  });
}
