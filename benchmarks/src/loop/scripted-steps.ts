import { setTimeout as pause } from "node:timers/promises";
import type { LanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

const USAGE = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

/** A model that calls `echo` in every step but the last one, and then answers. It thinks for `delayMs` in each step. */
export function scriptedSteps(steps: number, delayMs: number): LanguageModel {
  let step = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => {
      step += 1;
      // The mock remembers every request; a real model would not.
      model.doStreamCalls.length = 0;
      if (delayMs > 0) await pause(delayMs);
      const isLast = step === steps;
      const said = isLast
        ? [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "It is done." },
            { type: "text-end", id: "1" },
          ]
        : [{ type: "tool-call", toolCallId: `c${step}`, toolName: "echo", input: `{"text":"step ${step}"}` }];
      const finishReason = { unified: isLast ? "stop" : "tool-calls", raw: undefined };
      return {
        stream: convertArrayToReadableStream([
          { type: "stream-start", warnings: [] },
          ...said,
          { type: "finish", finishReason, usage: USAGE },
        ] as never[]),
      };
    },
  });
  return model;
}
