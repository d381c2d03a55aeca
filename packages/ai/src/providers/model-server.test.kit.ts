import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PromptCache } from "./prompt-cache.test.kit.ts";

/** A reply that the server streams. The arguments of calls are the text that a model would write. */
export interface ServedReply {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Refuses the request with this status. */
  readonly status?: number;
  /** Ends with an error instead of its last event. Anthropic's format alone. */
  readonly breaksOff?: boolean;
  /** Never answers. */
  readonly hangs?: boolean;
}

/** A request as the server got it. */
interface ServedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ModelServer extends AsyncDisposable {
  /** For example `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly requests: readonly ServedRequest[];
}

/**
 * A server on loopback that speaks the streaming formats of OpenAI, Anthropic and Google, with scripted replies. It
 * counts input tokens for Anthropic as its prompt cache does.
 */
export async function startModelServer(replies: readonly ServedReply[]): Promise<ModelServer> {
  const requests: ServedRequest[] = [];
  const cache = new PromptCache();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, unknown>>;
    const reply = replies[requests.length] ?? { text: "done" };
    requests.push({ path, headers: request.headers, body });
    if (reply.hangs === true) return;
    if (reply.status !== undefined) {
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "refused by the script", type: "scripted" } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (path.endsWith("/responses")) streamResponses(reply, response);
    else if (path.endsWith("/chat/completions")) streamChat(reply, response);
    else if (path.endsWith("/messages")) streamAnthropic(reply, response, cache.count(body));
    else if (path.includes(":streamGenerateContent")) streamGoogle(reply, response);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** In two pieces, so that the pieces have to be put together again. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

function streamChat({ text = "", calls = [] }: ServedReply, response: ServerResponse): void {
  const send = (delta: object, finish: string | null = null, usage?: object) =>
    response.write(
      `data: ${JSON.stringify({
        ...{ id: "chat-1", object: "chat.completion.chunk", created: 1, model: "scripted" },
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...(usage === undefined ? {} : { usage }),
      })}\n\n`,
    );
  send({ role: "assistant" });
  for (const content of halves(text)) send({ content });
  for (const [index, { id, name, arguments: args }] of calls.entries()) {
    send({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (const half of halves(args)) send({ tool_calls: [{ index, function: { arguments: half } }] });
  }
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  send({}, calls.length > 0 ? "tool_calls" : "stop", usage);
  response.write("data: [DONE]\n\n");
}

function streamResponses({ text = "", calls = [] }: ServedReply, response: ServerResponse): void {
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const about = { id: "resp_1", created_at: 1, model: "scripted" };
  send({ type: "response.created", response: about });
  let output_index = 0;
  if (text !== "") {
    const item = { type: "message", id: "msg_1", role: "assistant" };
    send({ type: "response.output_item.added", output_index, item: { ...item, content: [] } });
    for (const delta of halves(text))
      send({ type: "response.output_text.delta", item_id: "msg_1", output_index, content_index: 0, delta });
    const content = [{ type: "output_text", text, annotations: [] }];
    send({ type: "response.output_item.done", output_index, item: { ...item, content } });
    output_index += 1;
  }
  for (const { id, name, arguments: args } of calls) {
    const item = { type: "function_call", id: `fc_${id}`, call_id: id, name };
    send({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } });
    for (const delta of halves(args))
      send({ type: "response.function_call_arguments.delta", item_id: item.id, output_index, delta });
    send({ type: "response.function_call_arguments.done", item_id: item.id, output_index, arguments: args });
    send({
      type: "response.output_item.done",
      output_index,
      item: { ...item, arguments: args, status: "completed" },
    });
    output_index += 1;
  }
  const usage = { input_tokens: 20, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } };
  send({ type: "response.completed", response: { ...about, usage } });
}

function streamAnthropic(
  { text = "", thinking = "", calls = [], breaksOff = false }: ServedReply,
  response: ServerResponse,
  counted: ReturnType<PromptCache["count"]>,
): void {
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  let index = 0;
  const block = (content_block: object, deltas: readonly object[]) => {
    send({ type: "content_block_start", index, content_block });
    for (const delta of deltas) send({ type: "content_block_delta", index, delta });
    send({ type: "content_block_stop", index });
    index += 1;
  };
  const usage = { ...counted, output_tokens: 1 };
  send({ type: "message_start", message: { id: "msg_1", model: "scripted", role: "assistant", usage } });
  if (thinking !== "")
    block({ type: "thinking", thinking: "" }, [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature: "signed-by-the-provider" },
    ]);
  if (text !== "")
    block(
      { type: "text", text: "" },
      halves(text).map((half) => ({ type: "text_delta", text: half })),
    );
  for (const { id, name, arguments: args } of calls)
    block(
      { type: "tool_use", id, name, input: {} },
      halves(args).map((half) => ({ type: "input_json_delta", partial_json: half })),
    );
  if (breaksOff) {
    send({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    return;
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  send({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  send({ type: "message_stop" });
}

function streamGoogle({ text = "", calls = [] }: ServedReply, response: ServerResponse): void {
  const functionCalls = calls.map((call) => ({
    functionCall: { name: call.name, args: JSON.parse(call.arguments) },
  }));
  const parts = [...halves(text).map((half) => ({ text: half })), ...functionCalls];
  const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 };
  const reply = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata };
  response.write(`data: ${JSON.stringify(reply)}\n\n`);
}
