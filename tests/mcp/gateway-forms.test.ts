import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayBench, newsServer, openBench } from "./gateway-bench.ts";
import { GENERATIONS, textOf } from "./served.ts";

let bench: GatewayBench;
beforeAll(async () => {
  bench = await openBench({ servers: GENERATIONS.map((generation) => newsServer(generation, generation)) });
  await bench.gateway.started;
});
afterAll(() => bench.close());

const PAIRS = GENERATIONS.flatMap((server) => GENERATIONS.map((client) => ({ server, client })));

describe.each(PAIRS)("a form of a $server server at a $client client", (generations) => {
  async function filled(answer: ElicitResult) {
    const forms: ElicitRequest["params"][] = [];
    const client = await bench.client(generations.client, {
      elicit: (params) => {
        forms.push(params);
        return answer;
      },
    });
    const result = await client.callTool({ name: `${generations.server}_form`, arguments: {} });
    return { forms, got: JSON.parse(textOf(result)) };
  }

  test("keeps its names, types, defaults and titles, and its answer comes back with them", async () => {
    const content = { name: "Ada", age: 36, verified: false, size: "l", days: ["tue", "wed"] };
    const { forms, got } = await filled({ action: "accept", content });
    expect(forms).toHaveLength(1);
    expect(forms[0]).toMatchObject({
      message: expect.stringContaining(
        `${generations.server}_form asks:\nThe MCP server "${generations.server}" asks: Please review\n`,
      ),
      requestedSchema: {
        properties: {
          name: { type: "string", title: "Your name", default: "John Doe" },
          age: { type: "integer", default: 30, minimum: 1 },
          verified: { type: "boolean", default: true },
          size: {
            type: "string",
            oneOf: [
              { const: "s", title: "Small" },
              { const: "l", title: "Large" },
            ],
            default: "s",
          },
          days: { type: "array", items: { type: "string", enum: ["mon", "tue", "wed"] }, default: ["mon"] },
        },
        required: ["name"],
      },
    });
    expect(got).toMatchObject({ action: "accept", content });
  });

  test("takes its defaults where the person sends it without an answer", async () => {
    const { got } = await filled({ action: "accept", content: { name: "Ada" } });
    const content = { name: "Ada", age: 30, verified: true, size: "s", days: ["mon"] };
    expect(got).toMatchObject({ action: "accept", content });
  });

  test.each(["decline", "cancel"] as const)(
    "is declined where the person chose %s, and takes no default",
    async (action) => {
      const { got } = await filled({ action });
      expect(got.action).toBe("decline");
      expect(got.content).toBeUndefined();
    },
  );
});
