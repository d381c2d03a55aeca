import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { nextReply, type PastCall, type ScriptedReply } from "./fix-script.ts";

/** A scripted model behind OpenAI's streaming format, on the loopback interface. */
export interface ModelServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** The steps that were asked for, in order. */
  readonly asked: readonly AskedStep[];
}

/** A question to the model. */
export interface AskedStep {
  /** What the conversation began with. */
  readonly prompt: string;
  /** The number of replies that the conversation had, and one. */
  readonly step: number;
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

/** Opens one. `think` is what the model takes its time with before it replies. */
export async function openModelServer({
  think,
  reply = nextReply,
}: {
  think?(asked: AskedStep): Promise<void>;
  reply?(past: readonly PastCall[], prompt: string): ScriptedReply;
} = {}): Promise<ModelServer> {
  const asked: AskedStep[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { messages } = (await json(request)) as { readonly messages: readonly SentMessage[] };
    const prompt = textOf(messages.find(({ role }) => role === "user")?.content);
    const step = messages.filter(({ role }) => role === "assistant").length + 1;
    asked.push({ prompt, step });
    await think?.({ prompt, step });
    stream(response, step, reply(pastOf(messages), prompt));
  };
  // The process that asked may have been killed meanwhile.
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
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

function textOf(content: unknown): string {
  return typeof content === "string" ? content : (JSON.stringify(content) ?? "");
}

function pastOf(messages: readonly SentMessage[]): readonly PastCall[] {
  const results = new Map(
    messages.flatMap(({ role, tool_call_id: id = "", content }) =>
      role === "tool" ? [[id, textOf(content)] as const] : [],
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
