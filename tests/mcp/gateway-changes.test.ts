import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GatewayBench, openBench, shopServer, temporaryFolder } from "./gateway-bench.ts";
import { ERAS, textOf } from "./served.ts";

let bench: GatewayBench | undefined;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await bench?.close();
  await folder.remove();
});

describe.each(ERAS)("what changes, for a client of the %s era", (era) => {
  test("a tool that a server gets later is listed after the client was told", async () => {
    bench = await openBench({ servers: [shopServer("shop")] });
    await bench.gateway.started;
    const client = await bench.client(era);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    if (era === "modern") await client.listen({ toolsListChanged: true });
    await client.listTools();
    await client.callTool({ name: "shop_grow", arguments: {} });
    await changed.promise;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("shop_grown");
  });

  test("a server that cannot be started is said to be missing, and the others work", async () => {
    const broken = { ...shopServer("broken"), args: ["-e", "process.exit(3)"] };
    bench = await openBench({ servers: [shopServer("shop"), broken] });
    await bench.gateway.started;
    const client = await bench.client(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("gateway_status");
    const status = await client.callTool({ name: "gateway_status", arguments: {} });
    expect(status.structuredContent).toMatchObject({
      servers: [{ server: "shop", state: "ready" }, { server: "broken" }],
    });
    expect(client.getInstructions()).toContain("Something is missing of: broken");
    expect(textOf(await client.callTool({ name: "shop_deploy", arguments: { version: "1" } }))).toBe(
      "deployed 1",
    );
  });
});

test("one server with plain names keeps them, its prompts' too, and is not searched below the limit", async () => {
  bench = await openBench({ servers: [shopServer("shop")], naming: "plain" });
  await bench.gateway.started;
  const client = await bench.client("modern");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["deploy", "grow", "hang", "slow", "sounds", "stock"]);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["praise"]);
  expect(textOf(await client.callTool({ name: "deploy", arguments: { version: "2" } }))).toBe("deployed 2");
});

test("several servers with plain names, and two of one name, are refused", async () => {
  const [east, west] = [shopServer("east"), shopServer("west")];
  await expect(openBench({ servers: [east, west], naming: "plain" })).rejects.toThrow(/one server/);
  await expect(openBench({ servers: [east, east] })).rejects.toThrow(/same name/);
});

test("a cancelled call is cancelled at the server", async () => {
  const log = join(folder.path, "log");
  bench = await openBench({ servers: [shopServer("shop", { SHOP_LOG: log })] });
  await bench.gateway.started;
  for (const era of ERAS) {
    const client = await bench.client(era);
    const leave = new AbortController();
    const call = client.callTool({ name: "shop_hang", arguments: {} }, { signal: leave.signal });
    const ended = expect(call).rejects.toThrow();
    await expect.poll(async () => (await startedCalls(bench)).length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    leave.abort();
    await ended;
    await expect.poll(() => readFile(log, "utf8").catch(() => "")).toContain("cancelled");
  }
  await expect.poll(() => readFile(log, "utf8")).toBe("cancelled\ncancelled\n");
});

async function startedCalls(bench: GatewayBench | undefined): Promise<unknown[]> {
  const started = [];
  for await (const event of bench?.gateway.session.journal.read({ types: ["call-start"] }) ?? [])
    started.push(event);
  return started;
}

test("a tool that speaks to the model is held back, and said to be, without its words", async () => {
  bench = await openBench({ servers: [shopServer("shop", { SHOP_HOSTILE: "1" })] });
  await bench.gateway.started;
  const client = await bench.client("modern");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("gateway_status");
  expect(names).not.toContain("shop_hostile");
  const status = await client.callTool({ name: "gateway_status", arguments: {} });
  expect(status.structuredContent).toMatchObject({ servers: [{ held: [{ tool: "hostile" }] }] });
  expect(JSON.stringify(status)).not.toContain("IMPORTANT");
  await expect(client.callTool({ name: "shop_hostile", arguments: {} })).rejects.toMatchObject({
    code: -32_602,
  });
});

test("a secret in what a server sends is replaced, also in blocks that are handed on as they came", async () => {
  bench = await openBench({ servers: [shopServer("shop", { SHOP_SECRET: SECRET })] });
  await bench.gateway.started;
  const client = await bench.client("legacy");
  const result = await client.callTool({ name: "shop_leak", arguments: {} });
  expect(result.content).toMatchObject([{ type: "resource", resource: { uri: "shop://leak" } }]);
  expect(JSON.stringify(result)).not.toContain(SECRET);
});

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
