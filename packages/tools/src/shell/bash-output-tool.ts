import { defineTool, output, text } from "@toolkeep/core";
import type { BackgroundCommand } from "./background-command.ts";
import type { BackgroundCommands } from "./background-commands.ts";

const MOST_SHOWN = 100_000;
/** The largest size as escaped JSON. */
const MOST_JSON_BYTES = 8 * MOST_SHOWN + 4_096;

const INPUT = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1, maxLength: 64, description: "The id that bash_start returned." },
    wait: {
      type: "integer",
      minimum: 0,
      maximum: 60_000,
      description: "Milliseconds to wait for new output if there is none. Default: 0.",
    },
  },
  required: ["id"],
  additionalProperties: false,
} as const;

/** The tool `bash_output`: returns new output of a background command, and whether it still runs. */
export function bashOutputTool(commands: BackgroundCommands) {
  return defineTool({
    name: "bash_output",
    label: "Read output of a background command",
    description:
      "Returns the output of a background command since the last read, and whether it still runs. " +
      "Prefer `wait` to repeated calls.",
    mode: "read",
    kind: "execute",
    gated: false,
    // Output is returned once only.
    idempotent: false,
    inputSchema: INPUT,
    requires: {},
    maxOutput: { bytes: MOST_JSON_BYTES },
    dispose: () => commands.close(),
    async execute({ id, wait = 0 }, ctx) {
      const command = commands.find(ctx.sessionId, id);
      if (wait > 0) await command.wait(wait, ctx.abortSignal);
      // If the call was cancelled, the output stays for the next read.
      if (ctx.abortSignal.aborted) return undefined;
      return lookAt(command);
    },
  });
}

function lookAt(command: BackgroundCommand) {
  const { text: written, lost, hasMore } = command.read(MOST_SHOWN);
  const { outcome } = command;
  const data = {
    id: command.id,
    status: outcome === undefined ? "running" : "ended",
    ...(outcome ?? {}),
    output: written,
    ...(lost === 0 ? {} : { lost }),
    ...(hasMore ? { hasMore } : {}),
  };
  const notes = [
    ...(lost === 0 ? [] : [`${lost} earlier characters were dropped because they were not read in time`]),
    ...(hasMore ? ["there is more to read"] : []),
    outcome === undefined ? "still running" : endOf(outcome),
  ];
  const body = written === "" ? "(no new output)" : written;
  return output({
    data,
    content: [text(`${body}${body.endsWith("\n") ? "" : "\n"}[${notes.join("; ")}]`)],
  });
}

function endOf({ exitCode, signal, stopped, note }: NonNullable<BackgroundCommand["outcome"]>): string {
  const how = signal === undefined ? `ended with exit code ${exitCode}` : `ended by ${signal}`;
  return [how, stopped, note].filter((one) => one !== undefined).join("; ");
}
