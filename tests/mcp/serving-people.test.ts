import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { listening, stopAll, toListener } from "../../packages/mcp/src/connection/http-server.test.kit.ts";
import { shopServer } from "./gateway-bench.ts";
import { LIST, openPeople, type PeopleBench, type PeopleOptions } from "./people.ts";

let shared: PeopleBench;
let bench: PeopleBench;
const start = async (more: Partial<PeopleOptions> = {}) => {
  bench = await openPeople({ servers: [], ...more });
};
beforeAll(async () => {
  shared = await openPeople({ servers: [shopServer("shop")] });
});
afterAll(() => shared.close());
beforeEach(() => {
  bench = shared;
});
afterEach(async () => {
  vi.useRealTimers();
  if (bench !== shared) await bench.close();
  await stopAll();
});

/** Other people in each test. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});
const ada = (claims: object = {}) => bench.issuer.token({ claims: { sub: `ada${tests}`, ...claims } });
const bob = (claims: object = {}) => bench.issuer.token({ claims: { sub: `bob${tests}`, ...claims } });
/** Longer than a token is valid, twice. */
const HOUR_MS = 3_600_000;
const seconds = () => Math.floor(Date.now() / 1_000);

/** Begins a session of the older protocol generation; its id. */
async function begin(token: string): Promise<string> {
  const response = await bench.send(token);
  await response.text();
  expect(response.status).toBe(200);
  return response.headers.get("mcp-session-id") ?? "";
}

async function listIn(session: string, token: string): Promise<number> {
  const response = await bench.send(token, { body: LIST, headers: { "mcp-session-id": session } });
  await response.text();
  return response.status;
}

describe("who is let in", () => {
  test("no person without a token, and the answer says where tokens are had", async () => {
    for (const token of [undefined, "wrong", "a.b.c"]) {
      const response = await bench.send(token);
      expect(response.status).toBe(401);
      const challenge = response.headers.get("www-authenticate") ?? "";
      expect(challenge.includes("invalid_token")).toBe(token !== undefined);
      const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
      expect(metadata).toBe(`${new URL(bench.url).origin}/.well-known/oauth-protected-resource/mcp`);
      expect(await (await fetch(metadata)).json()).toMatchObject({
        resource: bench.url,
        authorization_servers: [bench.issuer.url],
        bearer_methods_supported: ["header"],
      });
    }
  });

  test("no person with a token for another audience, of another issuer, or that has expired", async () => {
    const wrong = [
      { aud: "https://other.example.com" },
      { iss: "https://login.example.com" },
      { exp: seconds() - 120 },
    ];
    for (const claims of wrong) {
      const response = await bench.send(await ada(claims));
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(
        /error="invalid_token", error_description="[^"]+"/,
      );
    }
    expect(bench.sessions.has(`ada${tests}`)).toBe(false);
  });

  test("no token in the address, in the body, or of another scheme", async () => {
    const token = await ada();
    const body = JSON.stringify({ access_token: token });
    expect((await bench.send(undefined, { path: `/mcp?access_token=${token}` })).status).toBe(401);
    expect((await bench.send(undefined, { body })).status).toBe(401);
    expect((await bench.send(undefined, { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
    expect((await bench.send(token)).status).toBe(200);
  });

  test("no person by another host name, or from a page", async () => {
    const token = await ada();
    expect((await bench.send(token, { headers: { origin: "http://evil.example" } })).status).toBe(403);
    expect((await bench.send(token, { path: "/other" })).status).toBe(404);
    const metadata = "/.well-known/oauth-protected-resource";
    expect((await bench.send(token, { path: metadata })).status).toBe(405);
    expect((await bench.send(token, { path: `${metadata}/other`, method: "GET", body: null })).status).toBe(
      404,
    );
  });

  test("no person while the keys of the issuer cannot be read, and no client is told to log in again", async () => {
    await start();
    bench.issuer.answer("/keys", (res) => res.destroy());
    const response = await bench.send(await ada());
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(response.headers.get("www-authenticate")).toBeNull();
  });
});

test("a token that does not permit enough is forbidden, and the answer says what is needed", async () => {
  await start({ settings: { scopes: ["tools"] }, resource: "https://tools.example.com/a/mcp" });
  const response = await bench.send(await ada());
  expect(response.status).toBe(403);
  const challenge = response.headers.get("www-authenticate");
  expect(challenge).toContain('error="insufficient_scope"');
  expect(challenge).toContain('scope="tools"');
  const path = "/.well-known/oauth-protected-resource/a/mcp";
  expect(challenge).toContain(`resource_metadata="https://tools.example.com${path}"`);
  expect(await (await fetch(new URL(path, bench.url))).json()).toMatchObject({
    resource: "https://tools.example.com/a/mcp",
    scopes_supported: ["tools"],
  });
  expect((await bench.send(await ada({ scope: "tools" }))).status).toBe(200);
});

describe("a session of the protocol belongs to the person who began it", () => {
  test("its id is worth nothing to another person, with any valid token", async () => {
    const session = await begin(await ada());
    expect(await listIn(session, await bob())).toBe(404);
    expect(await listIn(session, await bob({ client_id: "editor", groups: ["x"] }))).toBe(404);
    const gone = await bench.send(await bob(), {
      method: "DELETE",
      body: null,
      headers: { "mcp-session-id": session },
    });
    expect(gone.status).toBe(404);
    expect(await listIn(session, await ada())).toBe(200);
  });

  test("also after the token that began it has expired; its owner continues with a new one", async () => {
    const first = await ada();
    const session = await begin(first);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR_MS });
    expect(await listIn(session, first)).toBe(401);
    expect(await listIn(session, await bob())).toBe(404);
    expect(await listIn(session, await ada())).toBe(200);
  });

  test("a client that comes with the token of another person is refused in the middle", async () => {
    const { client, use } = await bench.connect(await ada(), "legacy");
    await client.listTools();
    use(await bob());
    await expect(client.listTools()).rejects.toThrow();
    use(await ada({ groups: ["other"] }));
    await expect(client.listTools()).rejects.toThrow();
    use(await ada());
    await client.listTools();
  });

  test("a stream that listens ends with its token", async () => {
    const token = await ada();
    const session = await begin(token);
    const headers = { "mcp-session-id": session, accept: "text/event-stream" };
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const stream = await bench.send(token, { method: "GET", body: null, headers });
    expect(stream.status).toBe(200);
    const ended = expect(stream.text()).rejects.toThrow();
    vi.advanceTimersByTime(2 * HOUR_MS);
    await ended;
  });
});

describe("what one person has open takes nothing from another", () => {
  test("sessions: the twenty-first ends the oldest of the same person", async () => {
    const [mine, yours] = [await ada(), await bob()];
    const kept = await begin(yours);
    const sessions: string[] = [];
    for (let at = 0; at < 21; at += 1) sessions.push(await begin(mine));
    expect(await listIn(sessions[0] ?? "", mine)).toBe(404);
    expect(await listIn(sessions[1] ?? "", mine)).toBe(200);
    expect(await listIn(kept, yours)).toBe(200);
  });

  test("requests: the fifty-first waits for nothing and is refused", async () => {
    const [mine, yours] = [await ada(), await bob()];
    const session = await begin(mine);
    const hung = new AbortController();
    const hang = (id: number) =>
      bench
        .send(mine, {
          body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "shop_hang" } }),
          headers: { "mcp-session-id": session },
          signal: hung.signal,
        })
        .catch(() => undefined);
    const open = await Promise.all(Array.from({ length: 50 }, (_, at) => hang(at + 10)));
    expect(open.every((one) => one?.status === 200)).toBe(true);
    expect(await listIn(session, mine)).toBe(429);
    expect((await bench.send(yours)).status).toBe(200);
    hung.abort();
    await expect.poll(() => listIn(session, mine)).toBe(200);
  });

  test("principals: the sixth of one person ends that person's oldest", async () => {
    const kept = await begin(await bob());
    const first = await begin(await ada({ groups: ["g0"] }));
    for (let at = 1; at < 6; at += 1) await begin(await ada({ groups: [`g${at}`] }));
    expect(await listIn(first, await ada({ groups: ["g0"] }))).toBe(404);
    expect(await listIn(kept, await bob())).toBe(200);
  });

  test("bodies have the limit that they have for everybody", async () => {
    const body = `"${"x".repeat(5 * 1024 * 1024)}"`;
    expect((await bench.send(await ada(), { body })).status).toBe(413);
  });

  test("logs of servers are not offered, because they are about the calls of all", async () => {
    const { client } = await bench.connect(await ada(), "legacy");
    expect(client.getServerCapabilities()).toHaveProperty("tools");
    expect(client.getServerCapabilities()).not.toHaveProperty("logging");
  });
});

test("a server behind the gateway never gets the token of a person", async () => {
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const { bothGenerationsServer } = await import(
    "../../packages/mcp/src/connection/both-generations.test.kit.ts"
  );
  const upstream = await listening(toListener(createMcpHandler(() => bothGenerationsServer())));
  await start({
    servers: [{ kind: "http", name: "far", isOfProject: false, url: upstream.url, headers: {} }],
  });
  const { client } = await bench.connect(await ada(), "modern", { elicit: () => ({ action: "decline" }) });
  const [tool] = (await client.listTools()).tools;
  await client.callTool({ name: tool?.name ?? "", arguments: {} }).catch(() => {});
  expect(upstream.seen.length).toBeGreaterThan(0);
  expect(upstream.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});
