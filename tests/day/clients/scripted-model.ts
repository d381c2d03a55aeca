import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./protocols/anthropic.ts";
import { chatCompletions } from "./protocols/chat-completions.ts";
import { gemini } from "./protocols/gemini.ts";
import type { Body, ModelCall, Protocol, Reply } from "./protocols/protocol.ts";
import { responses } from "./protocols/responses.ts";

const PROTOCOLS: readonly Protocol[] = [anthropic, gemini, chatCompletions, responses];

/** A model on loopback that makes the calls of a script, one after another, whatever it is told. */
export interface ScriptedModel {
  readonly port: number;
  /** How many calls it has made. */
  made(): number;
  /** What the client sent back for a call; `undefined` if it sent nothing yet. */
  result(index: number): string | undefined;
  /** Whether all calls have a result. */
  isDone(): boolean;
  close(): Promise<void>;
}

/** Calls that are not known before: what came of one may decide about the next. */
interface Feed {
  /** `undefined`: the model has no more. Asked again, it says the same. */
  next(index: number): Promise<ModelCall | undefined>;
  /** What the client said about a call. */
  seen(index: number, result: string): void;
}

interface Script {
  /**
   * They may name the port that the model listens on. A feed is asked for one after another, and the client waits
   * meanwhile.
   */
  readonly calls: readonly ModelCall[] | ((port: number) => readonly ModelCall[]) | Feed;
  /** What is answered to requests outside of the conversation. */
  readonly aside?: string;
  /** Any other request, such as one of a command that the client runs. */
  visit?(path: string, text: string): string | undefined;
}

export async function startModel({ calls: script, aside = "ok", visit }: Script): Promise<ScriptedModel> {
  let calls: readonly ModelCall[] = [];
  let made = 0;
  let results: readonly string[] = [];
  let isOver = false;
  const feed = typeof script === "object" && "next" in script ? script : undefined;
  const answer = async (path: string, text: string): Promise<Reply | undefined> => {
    const protocol = PROTOCOLS.find((one) => one.isFor(path));
    if (protocol === undefined) return undefined;
    const body = JSON.parse(text || "{}") as Body;
    const request = { body, path, id: randomUUID().replaceAll("-", "") };
    const known = protocol.results(body);
    if (known === undefined) return protocol.reply({ words: aside }, request);
    if (known.length >= results.length) results = known;
    for (const [index, result] of known.entries()) feed?.seen(index, result);
    const call = feed === undefined ? calls[known.length] : await feed.next(known.length);
    isOver = call === undefined;
    if (call === undefined) return protocol.reply({ words: "Done." }, request);
    made = Math.max(made, known.length + 1);
    return protocol.reply({ call }, request);
  };
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    const path = request.url ?? "/";
    const visited = visit?.(path, text);
    if (visited !== undefined) response.end(visited);
    else send((await answer(path, text)) ?? metadata(path), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  if (feed === undefined)
    calls = typeof script === "function" ? script(port) : (script as readonly ModelCall[]);
  return {
    port,
    made: () => made,
    result: (index) => results[index],
    isDone: () => (feed === undefined ? results.length >= calls.length : isOver),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What clients ask for besides: models and sizes. */
function metadata(path: string): Reply | undefined {
  const json = (text: string): Reply => ({ type: "application/json", text });
  if (/countTokens/.test(path)) return json('{"totalTokens":10}');
  if (/count_tokens/.test(path)) return json('{"input_tokens":10}');
  if (/\/models(?:\?|$)/.test(path))
    return json('{"object":"list","data":[{"id":"scripted","object":"model"}],"models":[]}');
  return undefined;
}

function send(reply: Reply | undefined, response: ServerResponse): void {
  response.writeHead(reply === undefined ? 404 : 200, { "content-type": reply?.type ?? "application/json" });
  response.end(reply?.text ?? "{}");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += String(chunk);
  return text;
}
