import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";
import { ALLOW_ALL, type GatewayBench, newsServer, openBench } from "./gateway-bench.ts";
import { GENERATIONS, newClient, type ProtocolGeneration, textOf } from "./served.ts";

const SECRET = "swordfish-7431-abcdef";
const LEVEL = "io.modelcontextprotocol/logLevel";
const PAIRS = GENERATIONS.flatMap((server) => GENERATIONS.map((client) => ({ server, client })));
const benches = new Map<ProtocolGeneration, GatewayBench>();

beforeAll(async () => {
  for (const generation of GENERATIONS) {
    const rules = [
      ...ALLOW_ALL,
      { permission: "mcp.read", pattern: "news:news://b", action: "deny" as const },
    ];
    const bench = await openBench(
      { servers: [newsServer("news", generation, { KEY: SECRET })] },
      { policy: rules },
    );
    benches.set(generation, bench);
  }
  for (const { gateway } of benches.values()) await gateway.started;
});
afterAll(async () => {
  for (const bench of benches.values()) await bench.close();
});

describe.each(PAIRS)("a $server server and a $client client", (generations) => {
  async function connected(): Promise<{ client: Client; call: Call; logs: Log[]; updated: string[] }> {
    const client = await (benches.get(generations.server) as GatewayBench).client(generations.client);
    const logs: Log[] = [];
    const updated: string[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params as Log));
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    const call: Call = async (name, args, level) => {
      const _meta =
        level === undefined || generations.client === "legacy" ? {} : { _meta: { [LEVEL]: level } };
      return textOf(await client.callTool({ name: `news_${name}`, arguments: args, ..._meta }));
    };
    return { client, call, logs, updated };
  }

  test("logs reach only the clients that request them, from the requested level on", async () => {
    const { client, call, logs } = await connected();
    await call("say", { level: "error", words: "unwanted" });
    if (generations.client === "legacy") await client.setLoggingLevel("info");
    await call("say", { level: "debug", words: "quiet" }, "info");
    await call("say", { level: "info", words: "loud" }, "info");
    await expect.poll(() => logs).toEqual([{ level: "info", logger: "news/kit", data: "loud" }]);
    await client.close();
  });

  test("logs are bounded, harmless and without the values of the entry", async () => {
    const { client, call, logs } = await connected();
    if (generations.client === "legacy") await client.setLoggingLevel("info");
    await call("say", { level: "info", words: `key ${SECRET} \u202e${"x".repeat(9_000)}` }, "info");
    await expect.poll(() => logs.length).toBe(1);
    expect(logs[0]?.data).toContain("<U+202E>");
    expect(logs[0]?.data).not.toContain(SECRET);
    expect(logs[0]?.data.length).toBeLessThan(2_100);
    await client.close();
  });

  test("changes of a resource are told while it is watched, and of no other", async () => {
    const { client, call, updated } = await connected();
    const stop = await watch(client, "news://a");
    await expect
      .poll(async () => {
        await call("touch", { uri: "news://a" });
        return updated.length;
      })
      .toBeGreaterThan(0);
    await call("touch", { uri: "news://archive" });
    expect(new Set(updated)).toEqual(new Set(["news://a"]));
    await stop();
    if (generations.server === "legacy") await expect.poll(() => call("watching", {})).toBe("[]");
    const before = updated.length;
    await call("touch", { uri: "news://a" });
    await call("watching", {});
    expect(updated.length).toBe(before);
    await client.close();
  });

  test("a resource that must not be read is not watched, and neither is an unknown one", async () => {
    const { client, call, updated } = await connected();
    for (const uri of ["news://b", "other://x"]) {
      const stop = await watch(client, uri).catch((error: unknown) => error);
      // A client of the newer protocol generation is not answered for each; it is never told.
      if (generations.client === "legacy")
        expect(stop).toMatchObject({ message: expect.stringMatching(/not be read|No server/) });
      await call("touch", { uri });
      await call("watching", {});
    }
    expect(updated).toEqual([]);
    if (generations.server === "legacy") expect(await call("watching", {})).toBe("[]");
    await client.close();
  });

  test("a watch ends with its client", async () => {
    const { client } = await connected();
    await watch(client, "news://a");
    const other = await connected();
    if (generations.server === "legacy")
      await expect.poll(() => other.call("watching", {})).toBe('["news://a"]');
    if (generations.client === "legacy")
      await (client.transport as { terminateSession?(): Promise<void> }).terminateSession?.();
    await client.close();
    if (generations.server === "legacy") await expect.poll(() => other.call("watching", {})).toBe("[]");
    expect(other.updated).toEqual([]);
    await other.client.close();
  });

  test("arguments of prompts and templates are completed by the server that has them, in plain sight", async () => {
    const { client } = await connected();
    const prompt = { type: "ref/prompt" as const, name: "news_travel" };
    const { completion } = await client.complete({ ref: prompt, argument: { name: "city", value: "p" } });
    expect(completion.values).toEqual(["paris"]);
    const template = { type: "ref/resource" as const, uri: "news://item/{id}" };
    const items = await client.complete({ ref: template, argument: { name: "id", value: "t" } });
    expect(items.completion.values).toEqual(["two"]);
    const nothingElse = { type: "ref/prompt" as const, name: "travel" };
    await expect(
      client.complete({ ref: nothingElse, argument: { name: "city", value: "" } }),
    ).rejects.toThrow("no prompt");
    await client.close();
  });

  test("a resource that is no text comes unchanged, part by part, and one that is too large not at all", async () => {
    const { client } = await connected();
    const { contents } = await client.readResource({ uri: "news://archive" });
    expect(contents).toEqual([
      { uri: "news://archive", mimeType: "application/zip", blob: "UEsDBAoAAAAAAA==" },
      { uri: "news://archive#2", mimeType: "application/octet-stream", blob: "AAECAwQF" },
    ]);
    await expect(client.readResource({ uri: "news://vast" })).rejects.toThrow("too large");
    await client.close();
  });
});

test.each(GENERATIONS)(
  "over stdio a client of the %s protocol generation is told of what it watches, until it stops",
  async (generation) => {
    const client = newClient(generation);
    const args = [...FROM_SOURCE, join(import.meta.dirname, "servers/news-gateway.ts")];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    const call = async (name: string, given = {}) =>
      textOf(await client.callTool({ name: `news_${name}`, arguments: given }));
    const stop = await watch(client, "news://a");
    await expect.poll(() => call("watching")).toBe('["news://a"]');
    await call("touch", { uri: "news://a" });
    await expect.poll(() => updated).toEqual(["news://a"]);
    await stop();
    await expect.poll(() => call("watching")).toBe("[]");
    await client.close();
  },
);

test("of a server that logs without end fifty messages in a second are passed on", async () => {
  const client = await (benches.get("legacy") as GatewayBench).client("legacy");
  let received = 0;
  client.setNotificationHandler("notifications/message", () => {
    received += 1;
  });
  await client.setLoggingLevel("info");
  const began = Date.now();
  const args = { level: "info", words: "many", times: 1_000 };
  await client.callTool({ name: "news_say", arguments: args });
  await client.callTool({ name: "news_watching", arguments: {} });
  const seconds = Math.ceil((Date.now() - began) / 1_000) + 1;
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThanOrEqual(50 * seconds);
  await client.close();
});

type Call = (name: string, args: Readonly<Record<string, unknown>>, level?: string) => Promise<string>;

interface Log {
  readonly level: string;
  readonly logger: string;
  readonly data: string;
}

/** Each protocol generation has its own way. */
async function watch(client: Client, uri: string): Promise<() => Promise<unknown>> {
  if (client.getProtocolEra() === "legacy") {
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  }
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  return () => subscription.close();
}
