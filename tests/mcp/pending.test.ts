import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FROM_SOURCE } from "../from-source.ts";
import { openBench, shopServer, temporaryFolder } from "./gateway-bench.ts";
import { keptGateway, SESSION } from "./kept-gateway.ts";
import { newClient, type ProtocolGeneration, textOf } from "./served.ts";

const HERE = import.meta.dirname;
const IS_CAMPAIGN = process.env["TOOLKEEP_RUNS"] !== undefined;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const clients: Client[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await folder.remove();
});

/** A client with a gateway of its own, in a process of its own, over the store of this test. */
async function startGateway(
  generation: ProtocolGeneration,
  waitMs: number,
): Promise<{ client: Client; pid: number }> {
  const client = newClient(generation);
  const args = [...FROM_SOURCE, join(HERE, "gateway-program.ts"), store(), String(waitMs), log()];
  const transport = new StdioClientTransport({ command: process.execPath, args });
  await client.connect(transport);
  clients.push(client);
  return { client, pid: transport.pid ?? 0 };
}

async function stopped({ client, pid }: { client: Client; pid: number }): Promise<void> {
  await client.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const store = () => join(folder.path, "store");
const log = () => join(folder.path, "log");
const deployed = () => readFile(log(), "utf8").catch(() => "");
const call = (version: string) => ({ name: "shop_deploy", arguments: { version } });

/** This process, which is another one than the gateway's, leaves the answer, as `toolkeep approvals approve` does. */
async function answerElsewhere(requestId: string): Promise<void> {
  const opened = openSqliteStore({ path: store() });
  try {
    expect((await opened.waiting()).map(({ request }) => request.id)).toContain(requestId);
    const answer = { verdict: "once" as const, by: "another process" };
    await opened.answer({ sessionId: SESSION, id: requestId }, answer);
  } finally {
    await opened.close();
  }
}

async function pendingId(client: Client, version: string): Promise<string> {
  const result = await client.callTool(call(version));
  expect(result.isError ?? false).toBe(false);
  const { status, id } = result.structuredContent as { status: string; id: string };
  expect(status).toBe("pending");
  expect(textOf(result)).toContain(id);
  // A model that is told the command line could say it.
  expect(textOf(result)).not.toContain("toolkeep");
  return id;
}

test("a client whose time is up is told `pending`; another process approves; the retry executes once, and not before", async () => {
  const { client } = await startGateway("legacy", 300);
  const id = await pendingId(client, "1");
  await answerElsewhere(id);
  expect(await deployed()).toBe("");
  expect(textOf(await client.callTool(call("1")))).toBe("deployed 1");
  expect(await deployed()).toBe("1\n");
  expect(await pendingId(client, "1")).not.toBe(id);
  expect(await deployed()).toBe("1\n");
});

test("the same holds when the gateway was killed in between, and a client of the other protocol generation connects to the next one", async () => {
  const first = await startGateway("legacy", 300);
  const id = await pendingId(first.client, "1");
  process.kill(first.pid, "SIGKILL");
  await stopped(first);
  await answerElsewhere(id);
  // In this process: the library would start a program twice for a client of the newer protocol generation.
  const { open, takeAnswers = async () => {}, release } = keptGateway(store());
  const servers = [shopServer("shop", { SHOP_LOG: log() })];
  const next = await openBench({ servers, open, takeAnswers, waitMs: 300 });
  try {
    const client = await next.client("modern");
    expect(await deployed()).toBe("");
    expect(textOf(await client.callTool(call("1")))).toBe("deployed 1");
    expect(await deployed()).toBe("1\n");
  } finally {
    await next.close();
    release();
  }
});

test.skipIf(!IS_CAMPAIGN)(
  "a client with the usual time-out of 60 s is answered in time, and approval after 70 s executes once (only with TOOLKEEP_RUNS: takes over a minute)",
  async () => {
    const { client } = await startGateway("legacy", 50_000);
    const began = Date.now();
    const id = await pendingId(client, "1");
    expect(Date.now() - began).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, began + 70_000 - Date.now()));
    await answerElsewhere(id);
    expect(textOf(await client.callTool(call("1")))).toBe("deployed 1");
    expect(await deployed()).toBe("1\n");
  },
);
