import { appendFileSync, readFileSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { ToldAnswer, ToldServer } from "./told.ts";

/** A server over stdio that says what a file tells it to say, and writes down what it was asked. */
const [told = "", log = ""] = process.argv.slice(2);
const read = (): ToldServer => JSON.parse(readFileSync(told, "utf8")) as ToldServer;

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly uri?: string; readonly protocolVersion?: string };
  readonly result?: unknown;
  readonly error?: unknown;
}

note("started");
createInterface({ input: process.stdin })
  .on("line", (line) => take(JSON.parse(line) as Message))
  .on("close", () => process.exit(0));

let seen = statSync(told).mtimeMs;
setInterval(() => {
  const now = statSync(told).mtimeMs;
  if (now === seen) return;
  seen = now;
  send({ method: "notifications/tools/list_changed" });
}, 20);

function note(words: string): void {
  appendFileSync(log, `${words}\n`);
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function take({ id, method, params, result, error }: Message): void {
  if (method === undefined) {
    note(`answer ${JSON.stringify(result ?? error)}`);
    return;
  }
  if (id === undefined) return;
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true }, resources: {} };
    const serverInfo = { name: "told", version: "1.0.0" };
    send({ id, result: { protocolVersion: params?.protocolVersion, capabilities, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools: read().tools } });
  else if (method === "resources/list") send({ id, result: { resources: read().resources ?? [] } });
  else if (method === "resources/templates/list") send({ id, result: { resourceTemplates: [] } });
  else if (method === "resources/read") answerRead(id, params?.uri ?? "");
  else if (method === "tools/call") answerCall(id, params?.name ?? "");
  else if (method === "ping") send({ id, result: {} });
  else send({ id, error: { code: -32_601, message: "Method not found" } });
}

function answerRead(id: string | number, uri: string): void {
  note(`read ${uri}`);
  send({ id, result: { contents: [{ uri, text: "what was read" }] } });
}

function answerCall(id: string | number, name: string): void {
  note(`call ${name}`);
  const answer: ToldAnswer = read().answers?.[name] ?? {};
  if (answer.asks !== undefined) send({ id: `ask-${id}`, ...answer.asks });
  if (answer.floodBytes !== undefined) {
    flood(id, answer.floodBytes);
    return;
  }
  const text = answer.reads === undefined ? (answer.text ?? "done") : contentOf(answer.reads);
  send({ id, result: { content: [...(answer.content ?? []), { type: "text", text }] } });
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return `not read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** One message of so many bytes, as fast as it is taken. */
function flood(id: string | number, bytes: number): void {
  const piece = "x".repeat(1_000_000);
  let left = bytes;
  process.stdout.write(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
  );
  const more = () => {
    if (left <= 0) return process.stdout.write(`"}]}}\n`);
    left -= piece.length;
    return process.stdout.write(piece) ? setImmediate(more) : process.stdout.once("drain", more);
  };
  more();
}
