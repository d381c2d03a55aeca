import { createSession, type PersonRequest, type SessionStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openApprovalsService } from "@toolkeep/postgres/approvals";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const { tool } = stubTool("pay", () => "paid", { idempotent: false });

async function waits(store: SessionStore, id: string, amount: number) {
  const session = await createSession({
    ...{ id, store, tools: [tool], policy: ["ask pay"], approver: async () => "later" as const },
    principal: { user: "eve", tenant: "A" },
  });
  await session.run([{ id: "1", name: "pay", arguments: { amount } }], { id: "t" });
  await session.leave();
}

const PEOPLE: Readonly<Record<string, string>> = { ann: "A", bea: "B" };

/** What people of two tenants are shown, and what becomes of their answer. */
async function served(store: SessionStore) {
  const service = await openApprovalsService({
    store,
    authentication: {
      authenticate: async (user) => ({ id: user, principal: { user, tenant: PEOPLE[user] as string } }),
    },
    mayAnswer: () => true,
  });
  const send = async (user: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${user}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const answer = { sessionId: "s", id: "t/1", answer: { verdict: "once" } };
  try {
    return {
      ann: (await send("ann", "/requests")).body,
      bea: (await send("bea", "/requests")).body,
      annAnswers: await send("ann", "/answers", answer),
      beaAnswers: await send("bea", "/answers", answer),
    };
  } finally {
    await service.close();
  }
}

describe.skipIf(POSTGRES_URL === "")("a request whose row was changed", () => {
  const openStore = testStores();

  test.each([
    ["shows another amount", `request = replace(request, '"amount":900', '"amount":9')`],
    ["is of another tenant", `request = replace(request, '"tenant":"A"', '"tenant":"B"')`],
    ["is of another session", "name = 'other'"],
    ["has another id", "id = 't/2'"],
    ["has another time", "asked_at = asked_at + 1"],
    ["lasts longer", "expires_at = 9e15"],
    ["needs no signatures any more", "needs = NOT needs"],
    ["is another event", "seq = seq - 1"],
    ["is no JSON", "request = 'x'"],
    [
      "is the request of another session",
      "request = (SELECT o.request FROM @.requests o WHERE o.name = 'cheap')",
    ],
  ])("and now %s is not listed, cannot be answered, and the reason is said", async (_how, change) => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await waits(store, "s", 900);
    await waits(store, "cheap", 9);
    expect(await store.waiting()).toHaveLength(2);
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    await client.query(`UPDATE ${schema}.requests SET ${change.replaceAll("@", schema)} WHERE name = 's'`);
    await client.end();
    const changed: { readonly reason: string; readonly recorded?: PersonRequest }[] = [];
    const listed = await store.waiting({ onChanged: (one) => changed.push(one) });
    expect(listed.map(({ sessionId }) => sessionId)).toEqual(["cheap"]);
    expect((await store.waiting({ limit: 1 })).map(({ sessionId }) => sessionId)).toEqual(["cheap"]);
    const recorded = expect.objectContaining({
      arguments: { amount: 900 },
      principal: expect.objectContaining({ tenant: "A" }),
    });
    expect(changed).toEqual([
      expect.objectContaining({ reason: "it is not the request that its session recorded", recorded }),
    ]);
    const { ann, bea, annAnswers, beaAnswers } = await served(store);
    expect(ann).toMatchObject({ total: 1, refused: [{ reason: expect.stringContaining("recorded") }] });
    expect(bea).toEqual({ requests: [], total: 0 });
    expect([404, 409]).toContain(annAnswers.status);
    expect(beaAnswers.status).toBe(404);
    const left: unknown[] = [];
    await store.takeAnswers("s", async (one) => left.push(one) > 0);
    expect(left).toEqual([]);
  });

  test("says so to the person who answers it", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await waits(store, "s", 900);
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    await client.query(`UPDATE ${schema}.requests SET request = replace(request, '900', '9')`);
    await client.end();
    const { annAnswers } = await served(store);
    expect(annAnswers).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("store.verify") },
    });
    const given = store.answer({ sessionId: "s", id: "t/1" }, { verdict: "once" });
    await expect(given).rejects.toMatchObject({ code: "answer_refused" });
  });
});
