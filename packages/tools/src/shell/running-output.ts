import type { ToolContext } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";

const SHORTEST_GAP_MS = 500;

/** The output of a command that still runs. */
export interface RunningOutput {
  readonly push: (chunk: Uint8Array) => void;
  /** Reports progress. */
  readonly report: () => void;
  /** The first part of the output. */
  text(): string;
}

/**
 * Counts the output of a command and reports the size as progress. Reports numbers only: a secret that is split across
 * chunks could not be redacted.
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
