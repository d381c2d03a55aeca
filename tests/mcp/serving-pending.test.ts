import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { defineTool, type Tool } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "./gateway-bench.ts";
import { countingTool, GENERATIONS, openServed, type Served, textOf } from "./served.ts";

const ID = "served.test";
const CALL = { name: "deploy", arguments: { version: "1", notes: { a: 1, b: 2 } } };
const REORDERED = { name: "deploy", arguments: { notes: { b: 2, a: 1 }, version: "1" } };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let served: Served | undefined;
let store: SqliteStore;
/** Another handle on the same files: the process that answers. */
let elsewhere: SqliteStore;

beforeEach(async () => {
  folder = await temporaryFolder();
  open();
});
afterEach(async () => {
  await stop();
  await folder.remove();
});

function open(): void {
  store = openSqliteStore({ path: join(folder.path, "store") });
  elsewhere = openSqliteStore({ path: join(folder.path, "store") });
}

async function stop(): Promise<void> {
  await served?.close();
  served = undefined;
  await store.close();
  await elsewhere.close();
}

async function start(tool: Tool, waitMs: number): Promise<Served> {
  served = await openServed({
    session: { tools: [tool] },
    open: (options) =>
      createSession({ ...options, id: ID, journal: store.journal(ID), pending: store.pending }),
    serve: { waitMs, takeAnswers: (give) => store.takeAnswers(ID, give) },
  });
  return served;
}

function answer(requestId: string, verdict: "once" | "reject" = "once"): Promise<void> {
  return elsewhere.answer({ sessionId: ID, id: requestId }, { verdict });
}

async function pendingId(client: Client, call = CALL): Promise<string> {
  const { structuredContent } = await client.callTool(call);
  const { status, id } = structuredContent as { status: string; id: string };
  expect(status).toBe("pending");
  return id;
}

describe.each(GENERATIONS)(
  "a client of the %s protocol generation that cannot ask its person",
  (generation) => {
    test("executes once with a retry, however its arguments are ordered, and not before it", async () => {
      const { tool, runs } = countingTool();
      const client = await (await start(tool, 50)).client(generation);
      await answer(await pendingId(client));
      await pendingId(client, { name: "deploy", arguments: { ...CALL.arguments, version: "2" } });
      expect(runs).toEqual([]);
      expect(textOf(await client.callTool(REORDERED))).toBe("deployed 1");
      expect(runs).toHaveLength(1);
    });

    test("gets the result itself if the answer comes while it waits", async () => {
      const { tool, runs } = countingTool();
      const client = await (await start(tool, 20_000)).client(generation);
      const call = client.callTool(CALL);
      await expect.poll(async () => (await store.waiting()).length).toBe(1);
      await answer((await store.waiting())[0]?.request.id ?? "");
      expect(textOf(await call)).toBe("deployed 1");
      expect(runs).toHaveLength(1);
    });

    test("is told of a no once, and asks anew after that", async () => {
      const { tool, runs } = countingTool();
      const client = await (await start(tool, 50)).client(generation);
      const id = await pendingId(client);
      await answer(id, "reject");
      expect(await client.callTool(CALL)).toMatchObject({ isError: true });
      expect(await pendingId(client)).not.toBe(id);
      expect(runs).toEqual([]);
    });

    test("leaves a call parked when it goes away, and its retry continues with it", async () => {
      const { tool, runs } = countingTool();
      const client = await (await start(tool, 20_000)).client(generation);
      const leave = new AbortController();
      const left = expect(client.callTool(CALL, { signal: leave.signal })).rejects.toThrow();
      await expect.poll(async () => (await store.waiting()).length).toBe(1);
      leave.abort();
      await left;
      // The news that a client left, and its next call, take different ways.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await answer((await store.waiting())[0]?.request.id ?? "");
      expect(textOf(await client.callTool(CALL))).toBe("deployed 1");
      expect(runs).toHaveLength(1);
      expect(await store.waiting()).toEqual([]);
    });
  },
);

test.each(GENERATIONS)(
  "a connection of the %s protocol generation that breaks while a person is awaited leaves the call parked",
  async (generation) => {
    const { tool, runs } = countingTool();
    const { client: connect } = await start(tool, 20_000);
    const first = await connect(generation);
    const broken = expect(first.callTool(CALL)).rejects.toThrow();
    await expect.poll(async () => (await store.waiting()).length).toBe(1);
    await first.close();
    await broken;
    await new Promise((resolve) => setTimeout(resolve, 500));
    await answer((await store.waiting())[0]?.request.id ?? "");
    expect(runs).toEqual([]);
    expect(textOf(await (await connect(generation)).callTool(CALL))).toBe("deployed 1");
    expect(runs).toHaveLength(1);
  },
);

test("another client is shown a form for a call that its first client left", async () => {
  const { tool, runs } = countingTool();
  const { client: connect } = await start(tool, 20_000);
  const shown = Promise.withResolvers<void>();
  const first = await connect("legacy", {
    elicit: async () => {
      shown.resolve();
      return new Promise(() => {});
    },
  });
  const broken = expect(first.callTool(CALL)).rejects.toThrow();
  await shown.promise;
  await first.close();
  await broken;
  await new Promise((resolve) => setTimeout(resolve, 500));
  const second = await connect("legacy", {
    elicit: () => ({ action: "accept", content: { decision: "Allow once" } }),
  });
  expect(textOf(await second.callTool(CALL))).toBe("deployed 1");
  expect(runs).toHaveLength(1);
  expect(await store.waiting()).toEqual([]);
});

test("an unanswered call is found again after a restart, and one that was answered meanwhile executes once", async () => {
  const { tool, runs } = countingTool();
  const id = await pendingId(await (await start(tool, 50)).client("modern"));
  await stop();
  open();
  expect(await pendingId(await (await start(tool, 50)).client("legacy"))).toBe(id);
  await stop();
  open();
  await answer(id);
  const client = await (await start(tool, 50)).client("modern");
  expect(textOf(await client.callTool(CALL))).toBe("deployed 1");
  expect(runs).toHaveLength(1);
});

test("two same calls at the same time are two, and each is executed by its own answer", async () => {
  const { tool, runs } = countingTool();
  const client = await (await start(tool, 300)).client("modern");
  const ids = await Promise.all([pendingId(client), pendingId(client)]);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) await answer(id);
  await Promise.all([client.callTool(CALL), client.callTool(CALL)]);
  expect(runs).toHaveLength(2);
});

test("an answer that is given in this process is used too", async () => {
  const { tool, runs } = countingTool();
  const { session, client: connect } = await start(tool, 20_000);
  const client = await connect("modern");
  const call = client.callTool(CALL);
  await expect.poll(async () => (await session.waiting()).length).toBe(1);
  const [request] = await session.waiting();
  await session.answer(request?.id ?? "", { verdict: "once" });
  expect(textOf(await call)).toBe("deployed 1");
  expect(runs).toHaveLength(1);
});

test("a form that is answered after its client was told `pending` counts for the retry", async () => {
  const { tool, runs } = countingTool();
  const form = Promise.withResolvers<void>();
  const client = await (await start(tool, 50)).client("legacy", {
    elicit: async () => {
      await form.promise;
      return { action: "accept", content: { decision: "Allow once" } };
    },
  });
  await pendingId(client);
  form.resolve();
  await expect.poll(async () => (await store.waiting()).length).toBe(0);
  expect(runs).toEqual([]);
  expect(textOf(await client.callTool(CALL))).toBe("deployed 1");
  expect(runs).toHaveLength(1);
});

test("a call that asks in the middle of its work continues only while a client waits for it, and once", async () => {
  const steps: string[] = [];
  const midway = defineTool({
    name: "deploy",
    description: "Begins, asks, and continues.",
    inputSchema: { type: "object" },
    requires: {},
    mode: "read",
    gated: false,
    idempotent: false,
    stateSlot: { version: 1 },
    async execute(_args, ctx) {
      ctx.state.set({ begun: true });
      steps.push("begun");
      const [name] = await ctx.ask([{ question: "Which name?" }]);
      steps.push(`for ${name?.[0]}`);
      return "done";
    },
  });
  const client = await (await start(midway as Tool, 50)).client("modern");
  const id = await pendingId(client);
  await elsewhere.answer({ sessionId: ID, id }, [["Ada"]]);
  await pendingId(client, { name: "deploy", arguments: { ...CALL.arguments, version: "2" } });
  expect(steps).toEqual(["begun", "begun"]);
  expect(textOf(await client.callTool(CALL))).toBe("done");
  expect(steps).toEqual(["begun", "begun", "for Ada"]);
});

test("a tool that promises a structure is told to be pending in a way that clients hand on", async () => {
  const structured = defineTool({
    name: "deploy",
    description: "Promises a structure.",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    requires: { capabilities: ["deploy.run"] },
    execute: () => ({ ok: true }),
  });
  const client = await (await start(structured as Tool, 50)).client("modern");
  await client.listTools();
  const result = await client.callTool(CALL);
  expect(textOf(result)).toContain("pending");
  const id = (await store.waiting())[0]?.request.id ?? "";
  expect(textOf(result)).toContain(id);
  await answer(id);
  expect((await client.callTool(CALL)).structuredContent).toEqual({ ok: true });
});
