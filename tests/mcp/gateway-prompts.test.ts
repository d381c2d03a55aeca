import { afterEach, expect, test } from "vitest";
import { ALLOW_ALL, type GatewayBench, openBench, shopServer } from "./gateway-bench.ts";

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
