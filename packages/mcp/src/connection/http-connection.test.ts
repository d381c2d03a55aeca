import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, until } from "./connection.test.kit.ts";
import { httpEntry, listening, modernServer, sessionServer, stopAll } from "./http-server.test.kit.ts";

afterEach(async () => {
  await closeAll();
  await stopAll();
});

interface Message {
  readonly id?: number | string;
  readonly method?: string;
}

/** A server of the older revision that answers calls as the test wants. */
function answering(call: (response: ServerResponse, message: Message) => void) {
  return listening(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message: Message = JSON.parse(Buffer.concat(chunks).toString());
    const json = (body: object) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }));
    const serverInfo = { name: "answering", version: "1" };
    if (message.method === "initialize")
      return json({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
    if (message.method === "tools/call") return call(response, message);
    if (message.id === undefined) return response.writeHead(202).end();
    return json({ error: { code: -32_601, message: "Method not found" } });
  });
}

test("a server that is not up yet is found when it is, and found again after it was gone", async () => {
  const first = await modernServer();
  await first.stop();
  const connection = await connected(httpEntry(first.url));
  expect(connection.status).toMatchObject({
    state: "waiting",
    reason: expect.stringContaining("ECONNREFUSED"),
  });
  const told: string[] = [];
  connection.watch((change) => told.push(change));
  const second = await modernServer(first.port);
  await until(() => connection.status.state === "ready");
  expect(told).toContain("tools");
  expect(await callText(connection, "echo", { text: "up" })).toBe("up");
  await second.stop();
  await expect(callText(connection, "echo", { text: "gone" })).rejects.toMatchObject({ code: "unavailable" });
  await until(() => connection.status.state !== "ready");
  await modernServer(first.port);
  await until(() => connection.status.state === "ready");
  expect(await callText(connection, "echo", { text: "up again" })).toBe("up again");
});

test("a server that forgot our session gets a new one; the call was certainly not executed", async () => {
  const server = await sessionServer();
  const connection = await connected(httpEntry(server.url));
  const told: string[] = [];
  connection.watch((change) => told.push(change));
  server.forget();
  await expect(callText(connection, "echo", { text: "1" })).rejects.toMatchObject({
    code: "unavailable",
    transient: true,
  });
  await until(() => told.includes("tools"));
  expect(await callText(connection, "echo", { text: "2" })).toBe("2");
});

test("a stream that ends without the answer fails the call at once", async () => {
  const { url } = await answering((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(": nothing\n\n");
  });
  const connection = await connected(httpEntry(url));
  await expect(callText(connection, "x")).rejects.toMatchObject({
    code: "unavailable",
    transient: false,
    message: expect.stringContaining("unknown"),
  });
});

test.each(["application/json", "text/event-stream"])("20 MB of %s are too large", async (type) => {
  const { url } = await answering((response, { id }) => {
    const text = "x".repeat(20 * 2 ** 20);
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    response.writeHead(200, { "content-type": type });
    response.end(type === "application/json" ? body : `data: ${body}\n\n`);
  });
  const connection = await connected(httpEntry(url));
  await expect(callText(connection, "x")).rejects.toMatchObject({ code: "too_large" });
  await until(() => connection.status.state === "ready");
});

test("many events together may be larger than one may be", async () => {
  const { url } = await answering((response, { id }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const params = { level: "info", data: "x".repeat(2 ** 20) };
    const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params });
    for (let at = 0; at < 20; at += 1) response.write(`data: ${note}\r\n\r\n`);
    const result = { content: [{ type: "text", text: "all there" }] };
    response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  });
  const connection = await connected(httpEntry(url));
  expect(await callText(connection, "x")).toBe("all there");
});

test("no redirect leads elsewhere, and headers stay at home", async () => {
  const elsewhere = await modernServer();
  const home = await listening((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
  const connection = await connected(httpEntry(home.url, { "x-key": "mine" }), { backoffMs: [60_000] });
  expect(connection.status.state).toBe("waiting");
  expect(home.seen[0]?.headers["x-key"]).toBe("mine");
  expect(elsewhere.seen).toEqual([]);
});

test.each([
  ["ftp://example.com/mcp", "only https: and http:"],
  ["file:///etc/passwd", "only https: and http:"],
  ["http://example.com/mcp", "plain http"],
  ["https://me:secret@example.com/mcp", "a user name or a password"],
  ["no address", "not a URL"],
])("%s is refused for good", async (url, reason) => {
  const connection = await connected(httpEntry(url));
  expect(connection.status).toMatchObject({ state: "refused", reason: expect.stringContaining(reason) });
  expect(connection.status.reason).not.toContain("secret@");
  expect(connection.status.nextAttemptAt).toBeUndefined();
  await expect(connection.listTools()).rejects.toMatchObject({ code: "unavailable", transient: false });
});

test("a server that wants to know who asks is refused where nothing was said about logins", async () => {
  const { url, seen } = await listening((_, response) => response.writeHead(401).end());
  const connection = await connected(httpEntry(url));
  expect(connection.status).toMatchObject({ state: "refused" });
  const asked = seen.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(seen).toHaveLength(asked);
});
