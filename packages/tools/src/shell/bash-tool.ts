import { defineTool, type ToolContext } from "@toolkeep/core";
import {
  COMMAND_LINE,
  type CommandLine,
  type CommandLineOptions,
  commandLineEffects,
  commandRequirements,
} from "./command-line.ts";
import { commandResult } from "./command-result.ts";
import { runningOutput } from "./running-output.ts";

const KEEP_BYTES = 200_000;
/** The most that 200,000 bytes become as JSON: only the tool itself cuts. */
const MOST_JSON_BYTES = 6 * KEEP_BYTES + 4_096;
const TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;

const INPUT = {
  type: "object",
  properties: {
    ...COMMAND_LINE,
    timeout: {
      type: "integer",
      minimum: 1,
      maximum: MOST_TIMEOUT_MS,
      description: `Milliseconds after which it is ended. Left out: ${TIMEOUT_MS}.`,
    },
  },
  required: ["command"],
  additionalProperties: false,
} as const;

const CONFIG = {
  type: "object",
  properties: {
    /** The longest that a model may ask for. */
    maxTimeoutMs: { type: "integer", minimum: 1, maximum: MOST_TIMEOUT_MS, default: MOST_TIMEOUT_MS },
  },
  additionalProperties: false,
} as const;

/** Runs one command line to its end, within the walls of the session. Its exit code is data, not a failure. */
export function bashTool(options: CommandLineOptions = {}) {
  return defineTool({
    name: "bash",
    label: "Run a command",
    description:
      "Runs one bash command line to its end and returns what it wrote, both streams together, and its exit code if that is not 0. " +
      "Every call starts a new shell: nothing but files stays. It gets no input. " +
      "Commands run in a sandbox: they see and change the workspace, and have no network unless it was granted.",
    mode: "local",
    inputSchema: INPUT,
    configSchema: CONFIG,
    requires: commandRequirements(options),
    maxOutput: { bytes: MOST_JSON_BYTES },
    effects: commandLineEffects(options),
    execute: run,
  });
}

interface BashConfig {
  readonly timeoutMs?: number;
  readonly maxTimeoutMs: number;
}

async function run(
  { command, workdir, timeout }: CommandLine & { readonly timeout?: number },
  ctx: ToolContext<BashConfig>,
): Promise<unknown> {
  const usualMs = ctx.config.timeoutMs ?? TIMEOUT_MS;
  const timeoutMs = Math.min(timeout ?? usualMs, Math.max(ctx.config.maxTimeoutMs, usualMs));
  const seen = runningOutput(KEEP_BYTES, ctx);
  // The call has a clock of its own. Half of its time is often enough to keep it going, and where the
  // session gives a call less, that counts.
  const alive = setInterval(seen.report, usualMs / 2);
  try {
    const outcome = await ctx.io.commands.run({
      line: command,
      ...(workdir === undefined ? {} : { cwd: workdir }),
      keepBytes: KEEP_BYTES,
      timeoutMs,
      onOutput: seen.push,
    });
    return commandResult(outcome, KEEP_BYTES);
  } catch (error) {
    // It fails as stopped in any case. What was written until then is kept with that.
    if (ctx.abortSignal.aborted) return { output: seen.text() };
    throw error;
  } finally {
    clearInterval(alive);
  }
}
