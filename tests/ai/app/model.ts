import { randomUUID } from "node:crypto";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>;
type Part = Streamed["stream"] extends ReadableStream<infer One> ? One : never;
type Prompt = Parameters<MockLanguageModelV4["doStream"]>[0]["prompt"];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Does what the user says (`pay A-1 A-2`, `balance`) and repeats the results of its tools. */
export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const parts = [...reply(prompt), finish(prompt)];
    return { stream: convertArrayToReadableStream<Part>([{ type: "stream-start", warnings: [] }, ...parts]) };
  },
});

function reply(prompt: Prompt): Part[] {
  const last = prompt.at(-1);
  if (last?.role !== "user") return text(JSON.stringify(last));
  const words = last.content.flatMap((part) => (part.type === "text" ? part.text.split(" ") : []));
  const [wanted, ...invoices] = words;
  if (wanted === "balance") return [call("balance", {})];
  return invoices.map((invoice) => call("pay", { invoice }));
}

function call(toolName: string, input: object): Part {
  return { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName, input: JSON.stringify(input) };
}

function text(words: string): Part[] {
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: words },
    { type: "text-end", id: "1" },
  ];
}

function finish(prompt: Prompt): Part {
  const unified = prompt.at(-1)?.role === "user" ? "tool-calls" : "stop";
  return { type: "finish", finishReason: { unified, raw: unified }, usage: USAGE };
}
