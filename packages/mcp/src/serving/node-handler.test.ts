import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { nodeHandler } from "./node-handler.ts";

let close: () => void = () => {};
afterEach(() => close());

async function serve(answer: (request: Request) => Promise<Response>) {
  const errors: string[] = [];
  const handler = nodeHandler(answer, {
    maxBodyBytes: 1_000,
    onError: ({ message }) => errors.push(message),
  });
  const server = createServer((req, res) => void handler(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, errors };
}

const urlOf = (port: number) => `http://127.0.0.1:${port}/mcp?a=1`;

test("hands method, URL, headers and body to the handler, and its answer to the client", async () => {
  const { port } = await serve(async (req) => {
    const seen = {
      method: req.method,
      url: req.url,
      header: req.headers.get("x-one"),
      body: await req.text(),
    };
    return Response.json(seen, { status: 201, headers: { "x-two": "2" } });
  });
  const answer = await fetch(urlOf(port), { method: "POST", headers: { "x-one": "1" }, body: "ü" });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-two")).toBe("2");
  expect(await answer.json()).toEqual({ method: "POST", url: urlOf(port), header: "1", body: "ü" });
});

test.each(["with", "without"])("answers 413 for a body that is too large, %s its length", async (length) => {
  const { port } = await serve(async () => Response.json("not reached"));
  const headers = length === "with" ? { "content-length": 2_000 } : {};
  const sent = request({ port, host: "127.0.0.1", method: "POST", headers });
  sent.on("error", () => {});
  sent.write("x".repeat(1_500));
  const [answer] = await once(sent, "response");
  expect(answer.statusCode).toBe(413);
  expect(await text(answer)).toContain("exceeds 1000 bytes");
  sent.destroy();
});

test("answers 500 if the handler fails, and reports the error", async () => {
  const { port, errors } = await serve(async () => Promise.reject(new Error("broken")));
  const answer = await fetch(urlOf(port), { method: "POST", body: "{}" });
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("broken");
  expect(errors).toEqual(["broken"]);
});

test("sends the headers of a stream at once, and aborts when the client disconnects", async () => {
  const gone = Promise.withResolvers<void>();
  const { port } = await serve(async (req) => {
    req.signal.addEventListener("abort", () => gone.resolve());
    return new Response(new ReadableStream({ start: () => {} }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  const sent = request(urlOf(port)).end();
  sent.on("error", () => {});
  const [answer] = await once(sent, "response");
  expect(answer.headers["content-type"]).toBe("text/event-stream");
  answer.destroy();
  await gone.promise;
});

test("does not abort a request whose response is finished", async () => {
  let isAborted = false;
  const { port } = await serve(async (req) => {
    req.signal.addEventListener("abort", () => {
      isAborted = true;
    });
    return new Response(null, { status: 202 });
  });
  const answer = await fetch(urlOf(port), { headers: { connection: "close" } });
  expect(answer.status).toBe(202);
  expect(isAborted).toBe(false);
});
