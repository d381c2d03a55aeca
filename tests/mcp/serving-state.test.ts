import type { Client } from "@modelcontextprotocol/client";
import { defineTool, type Tool } from "@toolkeep/core";
import { afterEach, expect, test } from "vitest";
import { countingTool, GENERATIONS, openServed, type Served, textOf } from "./served.ts";

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

interface Asked {
  readonly resultType: string;
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, unknown>>;
}

const YES = { action: "accept", content: { decision: "Allow once" } };

/** Calls without the client's own help, so that a test can do what a hostile one would. */
async function call(client: Client, version: string, more: Readonly<Record<string, unknown>> = {}) {
  const params = { name: "deploy", arguments: { version }, ...more };
  return (await client.callTool(params, { allowInputRequired: true } as never)) as unknown;
}

async function start(): Promise<{ client: Client; runs: readonly unknown[] }> {
  const { tool, runs } = countingTool();
  served = await openServed({ session: { tools: [tool] } });
  return { client: await served.client("modern", { elicit: () => ({ action: "cancel" }) }), runs };
}

function responsesTo({ inputRequests }: Asked): Record<string, unknown> {
  return Object.fromEntries(Object.keys(inputRequests).map((key) => [key, YES]));
}

test("a state that was changed, made up, or is for another call counts for nothing", async () => {
  const { client, runs } = await start();
  const asked = (await call(client, "1")) as Asked;
  expect(asked.resultType).toBe("input_required");
  const inputResponses = responsesTo(asked);
  const [head = "", body = "", signature = ""] = asked.requestState.split(".");
  const other = JSON.parse(Buffer.from(body, "base64url").toString());
  const forged = Buffer.from(JSON.stringify({ ...other, exp: other.exp + 1 })).toString("base64url");
  for (const requestState of [`${head}.${forged}.${signature}`, `${head}.${body}.AAAA`, "made up", ""])
    await expect(call(client, "1", { requestState, inputResponses })).rejects.toMatchObject({
      code: -32_602,
    });
  const { requestState } = asked;
  await expect(call(client, "2", { requestState, inputResponses })).rejects.toMatchObject({ code: -32_602 });
  expect(runs).toEqual([]);
});

test("an answer without our state is no answer", async () => {
  const { client, runs } = await start();
  const inputResponses = responsesTo((await call(client, "1")) as Asked);
  expect(((await call(client, "1", { inputResponses })) as Asked).resultType).toBe("input_required");
  expect(runs).toEqual([]);
});

test("a state that is sent twice, also at the same time, executes once and gives the same result", async () => {
  const { client, runs } = await start();
  const asked = (await call(client, "1")) as Asked;
  const again = { requestState: asked.requestState, inputResponses: responsesTo(asked) };
  const both = await Promise.all([call(client, "1", again), call(client, "1", again)]);
  const later = await call(client, "1", again);
  for (const result of [...both, later]) expect(textOf(result as { content: unknown })).toBe("deployed 1");
  expect(runs).toHaveLength(1);
});

test("a client that comes back without an answer is asked again", async () => {
  const { client, runs } = await start();
  const { requestState } = (await call(client, "1")) as Asked;
  const asked = (await call(client, "1", { requestState, inputResponses: {} })) as Asked;
  expect(asked.resultType).toBe("input_required");
  const more = { requestState: asked.requestState, inputResponses: responsesTo(asked) };
  expect(textOf((await call(client, "1", more)) as { content: unknown })).toBe("deployed 1");
  expect(runs).toHaveLength(1);
});

test("5,000 tools are listed by pages, all of them, and nothing in them is hidden", async () => {
  const tools = Array.from({ length: 5_000 }, (_, at) =>
    defineTool({
      name: `get_thing_${at}`,
      description: `Gets the thing ${at}.\u200b`,
      inputSchema: { type: "object", properties: { id: { type: "string" } } },
      mode: "read",
      requires: {},
      execute: () => "",
    }),
  );
  served = await openServed({ session: { tools: tools as unknown as Tool[] } });
  for (const generation of GENERATIONS) {
    const client = await served.client(generation);
    const names = new Set<string>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await client.listTools(cursor === undefined ? { cursor: "0" } : { cursor });
      for (const { name, description, annotations } of page.tools) {
        names.add(name);
        expect(description).toContain("<U+200B>");
        expect(annotations?.readOnlyHint).toBe(true);
      }
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect([names.size, pages]).toEqual([5_000, 5]);
    await expect(client.listTools({ cursor: "17" })).rejects.toMatchObject({ code: -32_602 });
  }
});
