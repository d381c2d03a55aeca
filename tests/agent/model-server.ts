import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { nextReply, type PastCall, type ScriptedReply } from "./fix-script.ts";

/** A scripted model behind OpenAI's streaming format, on the loopback interface. */
export interface ModelServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** The steps that were asked for, in order: the number of replies that the conversation had, and one. */
  readonly asked: readonly number[];
}

interface SentMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Opens one. `delayMs` is how long the model thinks at most. */
export async function openModelServer({
  delayMs = 0,
  reply = nextReply,
}: {
  readonly delayMs?: number;
  readonly reply?: (past: readonly PastCall[]) => ScriptedReply;
} = {}): Promise<ModelServer> {
  const asked: number[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { messages } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
      readonly messages: readonly SentMessage[];
    };
    const step = messages.filter(({ role }) => role === "assistant").length + 1;
    asked.push(step);
    await pause(Math.random() * delayMs);
    stream(response, step, reply(pastOf(messages)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pastOf(messages: readonly SentMessage[]): readonly PastCall[] {
  const results = new Map(
    messages.flatMap(({ role, tool_call_id: id = "", content }) =>
      role === "tool" ? [[id, typeof content === "string" ? content : JSON.stringify(content)] as const] : [],
    ),
  );
  return messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ id, function: { name, arguments: text } }) => ({
      name,
      args: JSON.parse(text) as Readonly<Record<string, unknown>>,
      result: results.get(id) ?? "",
    })),
  );
}

/** The same conversation gets the same reply, with the same ids. */
function stream(response: ServerResponse, step: number, { text, calls = [] }: ScriptedReply): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choices: readonly unknown[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: `r${step}`, object: "chat.completion.chunk", created: 0, model: "scripted", choices, ...more })}\n\n`,
    );
  if (text !== undefined)
    send([{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }]);
  for (const [index, { name, args }] of calls.entries()) {
    const called = { name, arguments: JSON.stringify(args) };
    const delta = {
      role: "assistant",
      tool_calls: [{ index, id: `c${step}-${index}`, type: "function", function: called }],
    };
    send([{ index: 0, delta, finish_reason: null }]);
  }
  send([{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }]);
  send([], { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  response.end("data: [DONE]\n\n");
}
