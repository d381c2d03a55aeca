import { defineTool, output, text } from "@toolkeep/core";
import type { BackgroundCommand } from "./background-command.ts";
import type { BackgroundCommands } from "./background-commands.ts";

const MOST_SHOWN = 100_000;
/** The most that they become as JSON, written out. */
const MOST_JSON_BYTES = 8 * MOST_SHOWN + 4_096;

const INPUT = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1, maxLength: 64, description: "What bash_start returned." },
    wait: {
      type: "integer",
      minimum: 0,
      maximum: 60_000,
      description: "Milliseconds to wait for new output if there is none. Left out: 0.",
    },
  },
  required: ["id"],
  additionalProperties: false,
} as const;

/** Gives what a background command wrote since it was last looked at, and whether it still runs. */
export function bashOutputTool(commands: BackgroundCommands) {
  return defineTool({
    name: "bash_output",
    label: "Read what a background command wrote",
    description:
      "Returns what a background command wrote since the last look, and whether it still runs. " +
      "Rather wait than look again and again.",
    mode: "read",
    kind: "execute",
    gated: false,
    // What was read once is not there a second time.
    idempotent: false,
    inputSchema: INPUT,
    requires: {},
    maxOutput: { bytes: MOST_JSON_BYTES },
    dispose: () => commands.close(),
    async execute({ id, wait = 0 }, ctx) {
      const command = commands.find(ctx.sessionId, id);
      if (wait > 0) await command.wait(wait, ctx.abortSignal);
      // What nobody reads any more must stay for the next who looks.
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
    ...(lost === 0 ? [] : [`${lost} characters before this were lost: nobody read them in time`]),
    ...(hasMore ? ["there is more to read already"] : []),
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
