import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { WaitingRequest } from "@toolkeep/core";
import { afterEach, expect, test } from "vitest";
import { Webhooks } from "./webhooks.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(listener: RequestListener): Promise<{ url: string; secret: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, secret };
}

/** A receiver that takes everything, and the ids of what it got. */
async function healthyHook() {
  const got = new Set<string>();
  const hook = await serve((request, response) => {
    got.add(String(request.headers["webhook-id"]));
    request.resume();
    response.end();
  });
  return { hook, got };
}

function send(webhooks: Webhooks, many: number): readonly WaitingRequest[] {
  ends.push(() => webhooks.close());
  const waiting = Array.from({ length: many }, (_, n) => {
    const request = { id: `r${n}`, toolName: "pay", reason: "it pays" };
    return { sessionId: `s${n}`, askedAt: 1, request } as unknown as WaitingRequest;
  });
  for (const one of waiting) webhooks.began(one);
  return waiting;
}

test.each([
  ["refuses every message", (response: { statusCode: number; end(): void }) => refuse(response)],
  ["never answers", () => undefined],
])("a webhook that %s delays no other", async (_what, answer) => {
  const broken = await serve((request, response) => {
    request.resume();
    answer(response);
  });
  const { hook, got } = await healthyHook();
  send(new Webhooks([broken, hook]), 40);
  await expect.poll(() => got.size, { timeout: 5_000 }).toBe(40);
});

test("a message that waits for its next attempt keeps no other from being sent", async () => {
  let attempts = 0;
  const taken = Promise.withResolvers<number>();
  const picky = await serve(async (request, response) => {
    attempts += 1;
    const text = Buffer.concat(await Array.fromAsync(request)).toString();
    if (!text.includes('"r30"')) return refuse(response);
    response.end();
    taken.resolve(attempts);
  });
  send(new Webhooks([picky]), 31);
  // Nothing was sent a second time until then.
  expect(await taken.promise).toBeLessThanOrEqual(31);
});

test("what no longer waits is not sent again", async () => {
  const ids: string[] = [];
  const broken = await serve((request, response) => {
    ids.push(String(request.headers["webhook-id"]));
    request.resume();
    refuse(response);
  });
  const webhooks = new Webhooks([broken]);
  const [first] = send(webhooks, 2);
  await expect.poll(() => ids.length).toBe(2);
  webhooks.ended(first as WaitingRequest);
  await expect.poll(() => ids.length, { timeout: 5_000 }).toBe(3);
  expect(new Set(ids).size).toBe(2);
  expect(ids.filter((id) => id === ids[2])).toHaveLength(2);
});

function refuse(response: { statusCode: number; end(): void }): void {
  response.statusCode = 500;
  response.end();
}
