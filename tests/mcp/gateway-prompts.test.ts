import { ToolFailure } from "@toolkeep/core";
import { afterEach, expect, test } from "vitest";
import { ALLOW_ALL, type GatewayBench, newsServer, openBench, shopServer } from "./gateway-bench.ts";

let bench: GatewayBench | undefined;

afterEach(async () => {
  await bench?.close();
});

test("what rules forbid to be fetched is not fetched through a prompt that a client picks either", async () => {
  bench = await openBench(
    { servers: [shopServer("shop")] },
    { policy: [...ALLOW_ALL, { permission: "net.fetch", pattern: "evil.example", action: "deny" }] },
  );
  await bench.gateway.started;
  const client = await bench.client("legacy");
  const praise = (item: string) => client.getPrompt({ name: "shop_praise", arguments: { item } });
  await expect(praise("https://evil.example/pens")).rejects.toThrow("must not be read");
  expect((await praise("https://fine.example/pens")).messages).toHaveLength(1);
});

test("what has to be approved in any case is not read through a prompt or a completion", async () => {
  const policy = [
    ...ALLOW_ALL,
    'ask net.fetch "plain.example"',
    'final ask net.fetch "final.example"',
    'ask net.fetch "signed.example" by group payments',
    'final ask mcp.read "news:prompts/travel"',
  ];
  bench = await openBench(
    { servers: [shopServer("shop"), newsServer("news", "legacy")] },
    { policy, principal: { user: "ada" } },
  );
  await bench.gateway.started;
  const client = await bench.client("legacy");
  const praise = (host: string) =>
    client.getPrompt({ name: "shop_praise", arguments: { item: `https://${host}/pens` } });
  expect((await praise("plain.example")).messages).toHaveLength(1);
  await expect(praise("final.example")).rejects.toThrow("call the tool shop_get_prompt, which asks");
  await expect(praise("signed.example")).rejects.toThrow("has to be approved");
  const params = {
    ref: { type: "ref/prompt", name: "news_travel" },
    argument: { name: "city", value: "p" },
  } as const;
  await expect(client.complete(params)).rejects.toThrow("has to be approved");
});

test("what is done before a call is done before a prompt and a completion", async () => {
  let why: string | undefined;
  bench = await openBench({
    servers: [newsServer("news", "legacy")],
    async beforeCall() {
      if (why !== undefined) throw new ToolFailure("denied", why);
    },
  });
  await bench.gateway.started;
  const client = await bench.client("legacy");
  const prompt = () => client.getPrompt({ name: "news_travel", arguments: { city: "Paris" } });
  const complete = () =>
    client.complete({
      ref: { type: "ref/prompt", name: "news_travel" },
      argument: { name: "city", value: "p" },
    });
  expect((await prompt()).messages).not.toEqual([]);
  expect((await complete()).completion.values).not.toEqual([]);
  why = "The token is now that of another principal.";
  await expect(prompt()).rejects.toThrow(why);
  await expect(complete()).rejects.toThrow(why);
});
