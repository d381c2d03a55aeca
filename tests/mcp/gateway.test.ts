import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayBench, openBench, shopServer } from "./gateway-bench.ts";
import { GENERATIONS, textOf } from "./served.ts";

let bench: GatewayBench;

beforeAll(async () => {
  bench = await openBench({ servers: [shopServer("east"), shopServer("west")] });
  await bench.gateway.started;
});
afterAll(() => bench.close());

describe.each(GENERATIONS)(
  "two servers behind one endpoint, for a client of the %s protocol generation",
  (generation) => {
    test("the tools of both are listed under their servers' names, and nothing else is", async () => {
      const client = await bench.client(generation);
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      const own = ["deploy", "grow", "hang", "slow", "sounds", "stock"];
      expect(names).toEqual(["east", "west"].flatMap((server) => own.map((tool) => `${server}_${tool}`)));
      expect(tools.find(({ name }) => name === "east_deploy")?.annotations).toMatchObject({
        readOnlyHint: false,
      });
    });

    test("[C115] a call reaches the server it names, and its structured answer comes back", async () => {
      const client = await bench.client(generation);
      expect(textOf(await client.callTool({ name: "west_deploy", arguments: { version: "7" } }))).toBe(
        "deployed 7",
      );
      const counted = await client.callTool({ name: "east_stock", arguments: { item: "pen" } });
      expect(counted.structuredContent).toEqual({ count: 3 });
    });

    test("blocks that are neither text nor pictures are handed on as they came", async () => {
      const client = await bench.client(generation);
      const { content } = await client.callTool({ name: "east_sounds", arguments: {} });
      expect(content).toMatchObject([
        { type: "text", text: "listen" },
        { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
        { type: "resource_link", uri: "shop://item/1" },
        { type: "resource", resource: { uri: "shop://item/2", text: "two" } },
      ]);
    });

    test("progress of the server reaches a client that wants it, and only rises", async () => {
      const client = await bench.client(generation);
      const received: { progress: number; message?: string | undefined }[] = [];
      // Progress that comes at the same time as the result is dropped by the SDK, as on a machine that stood still.
      for (let attempt = 0; attempt < 5 && received.length < 3; attempt += 1) {
        received.length = 0;
        const result = await client.callTool(
          { name: "east_slow", arguments: {} },
          { onprogress: (progress) => received.push(progress) },
        );
        expect(textOf(result)).toBe("slowly done");
      }
      expect(received.map(({ message }) => message)).toEqual(["step 1", "step 2", "step 3"]);
      expect(received.map(({ progress }) => progress)).toEqual([25, 50, 75]);
    });

    test("arguments that do not fit, and tools that are not there, are said clearly", async () => {
      const client = await bench.client(generation);
      const unfit = await client.callTool({ name: "east_deploy", arguments: { version: 7 } });
      expect(unfit.isError).toBe(true);
      expect(textOf(unfit)).toContain("version");
      await expect(client.callTool({ name: "nowhere", arguments: {} })).rejects.toMatchObject({
        code: -32_602,
      });
    });

    test("resources are listed once for each address, and read through the session", async () => {
      const client = await bench.client(generation);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(["toolkeep://status", "shop://prices"]);
      expect(bench.notes.join("\n")).toContain("shop://prices");
      const read = await client.readResource({ uri: "shop://prices" });
      expect(read.contents).toMatchObject([{ uri: "shop://prices", text: "one coin" }]);
      const journal = [];
      for await (const event of bench.gateway.session.journal.read({ types: ["call-start"] }))
        journal.push(event);
      expect(journal).toContainEqual(expect.objectContaining({ tool: "east_read_resource" }));
      await expect(client.readResource({ uri: "shop://nowhere" })).rejects.toMatchObject({ code: -32_602 });
    });

    test("the state of the servers is a resource", async () => {
      const client = await bench.client(generation);
      const { contents } = await client.readResource({ uri: "toolkeep://status" });
      const { servers } = JSON.parse((contents[0] as { text: string }).text);
      expect(servers).toMatchObject([
        { server: "east", state: "ready" },
        { server: "west", state: "ready" },
      ]);
    });

    test("prompts are named after their servers", async () => {
      const client = await bench.client(generation);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["east_praise", "west_praise"]);
      const { messages } = await client.getPrompt({ name: "west_praise", arguments: { item: "pens" } });
      expect(messages[0]?.content).toMatchObject({ text: "Praise pens." });
    });

    test("the instructions describe the servers without using their own texts", async () => {
      const client = await bench.client(generation);
      const instructions = client.getInstructions() ?? "";
      expect(instructions).toContain("east, west");
      expect(instructions).toContain("pending");
      expect(instructions).not.toContain("Follow me");
    });
  },
);
