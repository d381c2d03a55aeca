import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { defineTool, type Tool } from "@toolkeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { LegacySessions } from "../../packages/mcp/src/serving/legacy-sessions.ts";
import { countingTool, openServed, type Served, type ServedOptions } from "./served.ts";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A request as any program could send it, with headers that `fetch` would not allow. */
function raw(
  headers: Readonly<Record<string, string>>,
  body: string | undefined = JSON.stringify(INITIALIZE),
  { method = "POST", path = "/mcp" } = {},
): Promise<RawAnswer> {
  const { port } = new URL(served?.endpoint.url ?? "");
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
    let text = "";
    response.on("data", (chunk) => {
      text += chunk;
    });
    response.on("end", () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
    );
  });
  sent.on("error", reject);
  sent.end(method === "POST" ? body : undefined);
  return promise;
}

async function start(options: ServedOptions = {}): Promise<Record<string, string>> {
  const { tool } = countingTool();
  served = await openServed({ session: { tools: [tool] }, ...options });
  return {
    authorization: `Bearer ${served.endpoint.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
}

describe("who may come in over HTTP", () => {
  test("no client without the token, with a wrong one, or with another scheme", async () => {
    const { authorization: bearer = "", ...headers } = await start();
    const wrong = [undefined, "Bearer wrong", `Basic ${bearer.slice(7)}`, `${bearer}x`, bearer.slice(0, -1)];
    for (const authorization of wrong) {
      const answer = await raw({ ...headers, ...(authorization === undefined ? {} : { authorization }) });
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toContain('Bearer realm="toolkeep"');
      expect(answer.body).not.toContain(bearer.slice(7));
    }
    expect((await raw({ ...headers, authorization: bearer })).status).toBe(200);
  });

  test("no client that uses another host name, even with the token", async () => {
    const headers = await start({ http: { hosts: ["gateway.test"] } });
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "0.0.0.0",
      "@localhost",
      "localhost@evil.example",
    ])
      expect((await raw({ ...headers, host })).status, host).toBe(403);
    for (const host of ["localhost:1234", "127.0.0.1", "[::1]:99", "gateway.test"])
      expect((await raw({ ...headers, host })).status, host).toBe(200);
  });

  test("no page of an origin that is not listed, even with the token", async () => {
    const headers = await start({ http: { origins: ["http://localhost:6274"] } });
    for (const origin of ["http://evil.example", "http://localhost:6275", "https://localhost:6274", "null"]) {
      const answer = await raw({ ...headers, origin });
      expect([answer.status, answer.headers["access-control-allow-origin"]], origin).toEqual([
        403,
        undefined,
      ]);
    }
    const answer = await raw({ ...headers, origin: "http://localhost:6274" });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([
      200,
      "http://localhost:6274",
    ]);
    const preflight = await raw({ origin: "http://localhost:6274" }, "", { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
  });

  test("nothing is served next to its one path, and no body beyond its bound is read", async () => {
    const headers = await start();
    expect((await raw(headers, undefined, { path: "/" })).status).toBe(404);
    expect((await raw(headers, undefined, { path: "//evil/mcp" })).status).toBe(404);
    expect((await raw(headers, `"${"x".repeat(5 * 1024 * 1024)}"`)).status).toBe(413);
    expect((await raw(headers, "{")).status).toBe(400);
  });

  test("an address that others can reach needs a token and names, and a token must be long", async () => {
    const beyond = { address: "0.0.0.0" };
    await expect(start({ http: beyond })).rejects.toThrow(/token/);
    await expect(start({ http: { ...beyond, token: "t".repeat(32) } })).rejects.toThrow(/hosts/);
    await expect(start({ http: { token: "short" } })).rejects.toThrow(/32/);
  });
});

describe("sessions of older clients", () => {
  test("an unknown session is not found, and none begins without `initialize`", async () => {
    const headers = await start();
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await raw({ ...headers, "mcp-session-id": "made-up" }, list)).status).toBe(404);
    expect((await raw(headers, list)).status).toBe(400);
  });

  test("there are at most a hundred: another one ends the one that was idle longest", async () => {
    const headers = await start();
    const ids: string[] = [];
    for (let at = 0; at < 101; at += 1) ids.push(String((await raw(headers)).headers["mcp-session-id"]));
    expect(new Set(ids).size).toBe(101);
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const statuses = await Promise.all(
      [ids[0], ids[1], ids[100]].map(
        async (id) => (await raw({ ...headers, "mcp-session-id": id ?? "" }, list)).status,
      ),
    );
    expect(statuses).toEqual([404, 200, 200]);
  });

  test("one that is idle for too long ends, and one in use does not", async () => {
    const { Server } = await import("@modelcontextprotocol/server");
    let joined = 0;
    const sessions = new LegacySessions({
      make: () => new Server({ name: "s", version: "1" }, { capabilities: {} }),
      joined: () => {
        joined += 1;
        return () => {
          joined -= 1;
        };
      },
      most: 10,
      idleMs: 100,
      maxBodyBytes: 10_000,
    });
    const begin = async () => {
      const response = await sessions.fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify(INITIALIZE),
        }),
      );
      await response.text();
      return response.headers.get("mcp-session-id") ?? "";
    };
    await begin();
    const leave = sessions.enter(await begin());
    expect(joined).toBe(2);
    await expect.poll(() => joined).toBe(1);
    leave();
    await expect.poll(() => joined).toBe(0);
    await sessions.close();
  });
});

test("a error inside a tool is told without its stack and without paths of ours", async () => {
  const broken = defineTool({
    name: "broken",
    description: "Breaks.",
    inputSchema: { type: "object" },
    requires: {},
    mode: "read",
    gated: false,
    execute() {
      throw new TypeError("no such thing");
    },
  });
  served = await openServed({ session: { tools: [broken as Tool] } });
  const result = await (await served.client("modern")).callTool({ name: "broken", arguments: {} });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).not.toMatch(/\.ts|node_modules|at .*:\d+/);
});

describe("what comes in over HTTP", () => {
  test("[second attack 05] connections without a token do not block clients that have one", async () => {
    const headers = await start();
    const { port } = new URL(served?.endpoint.url ?? "");
    const idle = Array.from({ length: 500 }, () => connect(Number(port), "127.0.0.1").on("error", () => {}));
    try {
      await Promise.all(idle.map((socket) => once(socket, "connect")));
      expect((await raw(headers)).status).toBe(200);
      expect((await raw({ ...headers, authorization: "Bearer wrong" })).status).toBe(401);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  test("[second attack 05] an id is used for one request at a time", async () => {
    const [begun, wait] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = defineTool({
      name: "slow",
      description: "Waits.",
      mode: "read",
      requires: {},
      inputSchema: { type: "object" },
      execute: async () => {
        begun.resolve();
        await wait.promise;
        return "done";
      },
    }) as Tool;
    const headers = await start({ session: { tools: [slow] } });
    const { headers: opened } = await raw(headers);
    const session = { ...headers, "mcp-session-id": String(opened["mcp-session-id"]) };
    const call = (id: number) =>
      raw(session, JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow" } }));
    const first = call(7);
    await begun.promise;
    const second = await call(7);
    expect([second.status, second.body]).toEqual([400, expect.stringContaining("still open")]);
    const other = call(8);
    wait.resolve();
    expect((await first).body).toContain("done");
    expect((await other).body).toContain("done");
    expect((await call(7)).body).toContain("done");
  });
});
