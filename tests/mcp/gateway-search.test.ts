import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rule } from "@toolkeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ALLOW_ALL, type GatewayBench, openBench, shopServer, temporaryFolder } from "./gateway-bench.ts";
import { GENERATIONS, textOf } from "./served.ts";

let bench: GatewayBench | undefined;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await bench?.close();
  await folder.remove();
});

async function withManyTools(rules: readonly Rule[] = ALLOW_ALL) {
  const log = join(folder.path, "log");
  const servers = [shopServer("shop", { SHOP_TOOLS: "30", SHOP_LOG: log })];
  bench = await openBench({ servers }, { policy: rules });
  await bench.gateway.started;
  return { bench, deployed: () => readFile(log, "utf8").catch(() => "") };
}

describe.each(GENERATIONS)(
  "more than twenty tools, for a client of the %s protocol generation",
  (generation) => {
    test("[C54] only the search and call_tool are listed, and what a search finds is listed and can be called", async () => {
      const { bench } = await withManyTools();
      let changes = 0;
      const client = await bench.client(generation);
      const changed = Promise.withResolvers<void>();
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        changes += 1;
        changed.resolve();
      });
      if (generation === "modern") await client.listen({ toolsListChanged: true });
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      expect((await names()).toSorted()).toEqual(["call_tool", "tool_search"]);
      const found = await client.callTool({
        name: "tool_search",
        arguments: { query: "parcels of kind 7", limit: 10 },
      });
      const { tools } = found.structuredContent as { tools: { name: string }[] };
      expect(tools.length).toBeLessThanOrEqual(10);
      expect(tools[0]?.name).toBe("shop_extra_7");
      await changed.promise;
      expect(changes).toBe(1);
      expect(await names()).toContain("shop_extra_7");
      expect(textOf(await client.callTool({ name: "shop_extra_7", arguments: {} }))).toBe("extra 7");
    });

    test("call_tool calls what was found, and the inner call is decided as itself", async () => {
      const rules = [
        { permission: "*", action: "allow" as const },
        { permission: "mcp:shop:deploy", action: "deny" as const },
      ];
      const { bench, deployed } = await withManyTools(rules);
      const client = await bench.client(generation);
      const call = (name: string, args: Record<string, unknown>) =>
        client.callTool({ name: "call_tool", arguments: { name, arguments: args } });
      expect(textOf(await call("shop_extra_3", {}))).toBe("extra 3");
      expect((await call("shop_stock", { item: "pen" })).structuredContent).toEqual({ count: 3 });
      const denied = await call("shop_deploy", { version: "1" });
      expect(denied.isError).toBe(true);
      expect(textOf(denied)).toContain("deny mcp:shop:deploy");
      expect((await call("call_tool", {})).isError).toBe(true);
      expect((await call("shop_nowhere", {})).isError).toBe(true);
      expect(await deployed()).toBe("");
    });

    test("a call through call_tool asks as the tool it calls, and runs once when it is allowed", async () => {
      const { bench, deployed } = await withManyTools([]);
      const asked: string[] = [];
      const client = await bench.client(generation, {
        elicit: ({ message }) => {
          asked.push(message);
          return { action: "accept", content: { decision: "Allow once" } };
        },
      });
      const args = { name: "shop_deploy", arguments: { version: "9" } };
      expect(textOf(await client.callTool({ name: "call_tool", arguments: args }))).toBe("deployed 9");
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain("shop_deploy");
      expect(await deployed()).toBe("9\n");
    });
  },
);
