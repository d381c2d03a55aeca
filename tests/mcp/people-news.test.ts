import { afterEach, beforeEach, expect, test } from "vitest";
import { ALLOW_ALL, newsServer } from "./gateway-bench.ts";
import { openPeople, type PeopleBench } from "./people.ts";

let bench: PeopleBench;
beforeEach(async () => {
  const rules = [
    ...ALLOW_ALL,
    { permission: "mcp.read", action: "deny" as const, if: ["user eve"] as const },
  ];
  bench = await openPeople({ servers: [newsServer("news", "legacy")], rules });
});
afterEach(() => bench.close());

async function listening(sub: string) {
  const { client } = await bench.connect(await bench.issuer.token({ claims: { sub } }), "modern");
  const updated: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void updated.push(params.uri),
  );
  await client.listen({ resourceSubscriptions: ["news://a"] });
  return { client, updated };
}

test("what one person may not read, another one's watch does not tell", async () => {
  const ada = await listening("ada");
  const eve = await listening("eve");
  const touch = () => ada.client.callTool({ name: "news_touch", arguments: { uri: "news://a" } });
  await expect
    .poll(async () => {
      await touch();
      return ada.updated.length;
    })
    .toBeGreaterThan(0);
  await touch();
  expect(new Set(ada.updated)).toEqual(new Set(["news://a"]));
  expect(eve.updated).toEqual([]);
});

test("what a person may not read is not completed either", async () => {
  const [ada, eve] = [await listening("ada"), await listening("eve")];
  const refs = [
    { ref: { type: "ref/prompt", name: "news_travel" }, argument: { name: "city", value: "p" } },
    { ref: { type: "ref/resource", uri: "news://item/{id}" }, argument: { name: "id", value: "t" } },
  ] as const;
  for (const params of refs) {
    expect((await ada.client.complete(params)).completion.values).not.toEqual([]);
    await expect(eve.client.complete(params)).rejects.toThrow("must not be read");
  }
});
