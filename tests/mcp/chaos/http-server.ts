import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Behaviour, plainAnswer, type RpcMessage, result, said } from "./behaviour.ts";

/** A server over HTTP that does what a call tells it, on loopback. It says where it is, and ends with its input. */
const state = { form: 0 };
const server = createServer((request, response) => {
  response.on("error", () => {});
  void read(request).then(
    (message) => answer({ message, response, state }),
    () => response.writeHead(400).end(),
  );
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();

async function read(request: IncomingMessage): Promise<RpcMessage | "no message"> {
  if (request.method !== "POST") return "no message";
  const chunks: Buffer[] = await request.toArray();
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as RpcMessage;
}

/** One request, what it says, and what the server remembers. */
interface Asked {
  readonly message: RpcMessage | "no message";
  readonly response: ServerResponse;
  readonly state: { form: number };
}

function answer(asked: Asked): void {
  const { message, response, state } = asked;
  if (message === "no message") {
    response.writeHead(405).end();
    return;
  }
  const { id, method, params } = message;
  if (method === "tools/call" && id !== undefined) {
    actsOf(id, asked)[params?.arguments?.do ?? "answer"]();
    return;
  }
  const plain = plainAnswer(message, state.form);
  if (plain === undefined) response.writeHead(202).end();
  else json(response, plain);
}

function events(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

function json(response: ServerResponse, message: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}

type Acts = Readonly<Record<Behaviour, () => void>>;

function actsOf(id: string | number, { response, state }: Asked): Acts {
  const drop = () => void response.socket?.destroy();
  const raw = (text: string) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(text);
  return {
    answer: () => json(response, said(id, "done")),
    "answer-late": () => void setTimeout(() => json(response, said(id, "done")), 100),
    fail: () => json(response, { jsonrpc: "2.0", id, error: { code: -32_000, message: "no" } }),
    hang: () => {},
    exit: drop,
    kill: () => void response.writeHead(500).end("no"),
    "leave-child": () => void response.writeHead(503).end(),
    half: () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"jsonrpc":', drop);
    },
    garbage: () => raw("\u0000\xff nonsense"),
    "flood-lines": () => flood(events(response), `: ${"x".repeat(65_536)}\n`),
    "flood-notes": () =>
      flood(
        events(response),
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n',
      ),
    "flood-errors": () =>
      flood(response.writeHead(200, { "content-type": "application/json" }), "e".repeat(65_536)),
    huge: () => json(response, said(id, "h".repeat(20_000_000))),
    "wrong-id": () => json(response, said(999_999, "for another request")),
    twice: () => {
      events(response).end(`data: ${JSON.stringify(said(id, "done"))}\n\n`.repeat(2));
    },
    "wrong-shape": () => json(response, result(id, { content: "no list", isError: "maybe" })),
    "progress-forever": () => {
      events(response);
      const timer = setInterval(() => response.write(": still here\n\n"), 50);
      response.on("close", () => clearInterval(timer));
    },
    "change-tools": () => {
      state.form += 1;
      json(response, said(id, "done"));
    },
    close: () => void events(response).end(),
  };
}

/** As much as is taken, for a while. */
function flood(response: ServerResponse, piece: string): void {
  const until = performance.now() + 3_000;
  const more = () => {
    if (response.destroyed || performance.now() > until) {
      response.destroy();
      return;
    }
    if (response.write(piece)) setImmediate(more);
    else response.once("drain", more);
  };
  more();
}
