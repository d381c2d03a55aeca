import type { ToolContext } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";

const SHORTEST_GAP_MS = 500;

/** What a command has written while it still runs. */
export interface RunningOutput {
  readonly push: (chunk: Uint8Array) => void;
  /** Says that the command is alive. */
  readonly report: () => void;
  /** The beginning of it. */
  text(): string;
}

/**
 * Counts what a command writes and tells whoever watches. Only figures are told: a secret in a piece of the
 * output cannot be recognised.
 */
export function runningOutput(keepBytes: number, ctx: Pick<ToolContext, "progress">): RunningOutput {
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
