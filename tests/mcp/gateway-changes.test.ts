import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayBench, openBench, shopServer, temporaryFolder } from "./gateway-bench.ts";
import { GENERATIONS, textOf } from "./served.ts";

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

let bench: GatewayBench;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let log: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  log = join(folder.path, "log");
  const broken = { ...shopServer("broken"), args: ["-e", "process.exit(3)"] };
  const odd = shopServer("odd", { SHOP_HOSTILE: "1", SHOP_SECRET: SECRET, SHOP_LOG: log });
  // One for each protocol generation: a server can make this change only once.
  bench = await openBench({
    servers: [...GENERATIONS.map((generation) => shopServer(generation)), odd, broken],
    searchAbove: "never",
  });
  await bench.gateway.started;
});
afterAll(async () => {
  await bench.close();
  await folder.remove();
});

describe.each(GENERATIONS)("what changes, for a client of the %s protocol generation", (generation) => {
  test("a tool that a server gets later is listed after the client was told", async () => {
    const client = await bench.client(generation);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    if (generation === "modern") await client.listen({ toolsListChanged: true });
    const before = (await client.listTools()).tools.map(({ name }) => name);
    expect(before).not.toContain(`${generation}_grown`);
    await client.callTool({ name: `${generation}_grow`, arguments: {} });
    await changed.promise;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain(`${generation}_grown`);
  });

  test("a server that cannot be started is reported as unavailable, and the others work", async () => {
    const client = await bench.client(generation);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("gateway_status");
    const { structuredContent } = await client.callTool({ name: "gateway_status", arguments: {} });
    const { servers } = structuredContent as { servers: { server: string; state: string }[] };
    const states = new Map(servers.map(({ server, state }) => [server, state]));
    expect(states.get(generation)).toBe("ready");
    expect(states.get("broken")).toMatch(/waiting|connecting/);
    expect(client.getInstructions()).toMatch(/Not fully available: .*broken/);
    const deployed = await client.callTool({ name: `${generation}_deploy`, arguments: { version: "1" } });
    expect(textOf(deployed)).toBe("deployed 1");
  });

  test("a cancelled call is cancelled at the server", async () => {
    const client = await bench.client(generation);
    const [cancelled, started] = [await logged(), await startedCalls()];
    const leave = new AbortController();
    const call = client.callTool({ name: "odd_hang", arguments: {} }, { signal: leave.signal });
    const ended = expect(call).rejects.toThrow();
    await expect.poll(startedCalls).toBe(started + 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    leave.abort();
    await ended;
    await expect.poll(logged).toBe(`${cancelled}cancelled\n`);
  });
});

async function startedCalls(): Promise<number> {
  let started = 0;
  for await (const _event of bench.gateway.session.journal.read({ types: ["call-start"] })) started += 1;
  return started;
}

function logged(): Promise<string> {
  return readFile(log, "utf8").catch(() => "");
}

test("a tool that speaks to the model is put in review, and said to be, without its words", async () => {
  const client = await bench.client("modern");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("gateway_status");
  expect(names).not.toContain("odd_hostile");
  const status = await client.callTool({ name: "gateway_status", arguments: {} });
  const { servers } = status.structuredContent as { servers: { server: string; inReview?: unknown }[] };
  expect(servers.find(({ server }) => server === "odd")?.inReview).toMatchObject([{ tool: "hostile" }]);
  expect(JSON.stringify(status)).not.toContain("IMPORTANT");
  await expect(client.callTool({ name: "odd_hostile", arguments: {} })).rejects.toMatchObject({
    code: -32_602,
  });
});

test("a secret in what a server sends is replaced, also in blocks that are handed on as they came", async () => {
  const client = await bench.client("legacy");
  const result = await client.callTool({ name: "odd_leak", arguments: {} });
  expect(result.content).toMatchObject([{ type: "resource", resource: { uri: "shop://leak" } }]);
  expect(JSON.stringify(result)).not.toContain(SECRET);
});

test("one server with plain names keeps them, its prompts' too, and is not searched below the limit", async () => {
  const plain = await openBench({ servers: [shopServer("shop")], naming: "plain" });
  try {
    await plain.gateway.started;
    const client = await plain.client("modern");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["deploy", "grow", "hang", "slow", "sounds", "stock"]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["praise"]);
    expect(textOf(await client.callTool({ name: "deploy", arguments: { version: "2" } }))).toBe("deployed 2");
  } finally {
    await plain.close();
  }
});

test("several servers with plain names, and two of one name, are refused", async () => {
  const [east, west] = [shopServer("east"), shopServer("west")];
  await expect(openBench({ servers: [east, west], naming: "plain" })).rejects.toThrow(/one server/);
  await expect(openBench({ servers: [east, east] })).rejects.toThrow(/same name/);
});
