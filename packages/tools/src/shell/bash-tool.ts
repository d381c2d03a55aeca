import { defineTool, type ToolContext } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";
import type { CommandOutcome } from "@toolkeep/core/ports";
import { BASH_CONFIG, BASH_INPUT, TIMEOUT_MS } from "./command-inputs.ts";
import {
  COMMAND_REQUIREMENTS,
  type CommandLine,
  type CommandLineOptions,
  commandLineEffects,
} from "./command-line.ts";
import { commandResult } from "./command-result.ts";

const KEEP_BYTES = 200_000;
/** The largest size of 200,000 bytes as JSON: only the tool itself cuts. */
const MOST_JSON_BYTES = 6 * KEEP_BYTES + 4_096;

/** The tool `bash`: runs one command line in the sandbox of the session. Its exit code is data, not a failure. */
export function bashTool(options: CommandLineOptions = {}) {
  return defineTool({
    name: "bash",
    label: "Run a command",
    description:
      "Runs one bash command line and returns its output, stdout and stderr together, and its exit code if that is not 0. " +
      "Every call starts a new shell: only files persist, and what runs in the background ends with the call. It gets no input. " +
      "Commands run in a sandbox: they read and write the workspace and /tmp, which lasts as long as the session, " +
      "and reach only the hosts that were allowed for this call, by HTTP and HTTPS.",
    mode: "local",
    containable: true,
    inputSchema: BASH_INPUT,
    configSchema: BASH_CONFIG,
    requires: COMMAND_REQUIREMENTS,
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
  // The call has its own timeout. Progress at half of it keeps the call alive; a shorter limit of the session
  // still applies.
  const alive = setInterval(seen.report, usualMs / 2);
  try {
    const outcome = await ctx.io.commands.run({
      line: command,
      ...(workdir === undefined ? {} : { cwd: workdir }),
      keepBytes: KEEP_BYTES,
      timeoutMs,
      onOutput: seen.push,
    });
    return commandResult(withNotes(command, outcome), KEEP_BYTES);
  } catch (error) {
    // The call fails as cancelled in any case; the output so far is kept with it.
    if (ctx.abortSignal.aborted) return { output: seen.text() };
    throw error;
  } finally {
    clearInterval(alive);
  }
}

/** Ends with a single `&`: nothing waits for the last command. */
function startsInBackground(line: string): boolean {
  return /(?:^|[^&>|<\\])&\s*$/.test(line);
}

const ENDED = "what was started in the background ended with this call: `bash_start` keeps a command running";
const OWN_NETWORK =
  "in a sandbox each command has a network of its own: start the server and send the request in one command line";

/** Curl could not connect to this machine. */
function missesServer(line: string, { exitCode }: CommandOutcome): boolean {
  return exitCode === 7 && /\bcurl\b.*(?:localhost|127\.0\.0\.1|\[::1\])/s.test(line);
}

function withNotes(line: string, outcome: CommandOutcome): CommandOutcome {
  const notes = [
    ...(startsInBackground(line) && outcome.isContained !== true ? [ENDED] : []),
    ...(missesServer(line, outcome) && outcome.isContained !== true ? [OWN_NETWORK] : []),
    ...(outcome.note === undefined ? [] : [outcome.note]),
  ];
  return notes.length === 0 ? outcome : { ...outcome, note: notes.join("; ") };
}

const SHORTEST_GAP_MS = 500;

/** The output of a command that still runs. */
interface RunningOutput {
  readonly push: (chunk: Uint8Array) => void;
  /** Reports progress. */
  readonly report: () => void;
  /** The first part of the output. */
  text(): string;
}

/** Reports the size of the output as progress, and no text: a secret split across chunks could not be redacted. */
function runningOutput(keepBytes: number, ctx: Pick<ToolContext, "progress">): RunningOutput {
  const chunks: Uint8Array[] = [];
  const began = performance.now();
  let bytes = 0;
  let kept = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function report(): void {
    reportedAt = performance.now();
    const seconds = Math.round((reportedAt - began) / 1_000);
    ctx.progress(`${bytes} bytes of output after ${seconds} s`);
  }

  return {
    push(chunk) {
      bytes += chunk.length;
      if (kept < keepBytes) {
        const head = chunk.slice(0, keepBytes - kept);
        kept += head.length;
        chunks.push(head);
      }
      if (performance.now() - reportedAt >= SHORTEST_GAP_MS) report();
    },
    report,
    text() {
      const decoder = new TextDecoder();
      return terminalText(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join(""));
    },
  };
}
