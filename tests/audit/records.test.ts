import { createSession, defineTool, memoryStore } from "@toolkeep/core";
import { effect, nameProgram } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

afterEach(() => nameProgram({ name: "@toolkeep/core", version: "0.0.0" }));

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  requires: { capabilities: ["payments.send"] },
  effects: ({ to }) => [effect("payments.send", String(to))],
  execute: ({ to }) => `paid ${String(to)}`,
});

const ALLOW = { permission: "payments.send", pattern: "*", action: "allow", at: "policy.yaml:7" } as const;
const DENY = { permission: "payments.send", pattern: "eve", action: "deny", at: "policy.yaml:8" } as const;

async function eventsOf(store: SqliteStore, id: string): Promise<readonly JournalEvent[]> {
  return Array.fromAsync(store.events(id));
}

test("[platform B2] the record says the version of events, the program, the policy, and where the deciding rule is written", async () => {
  nameProgram({ name: "toolkeep", version: "1.2.3" });
  await using store = openSqliteStore({ path: temporaryFolder() });
  const session = await createSession({ id: "s", store, tools: [pay], policy: { rules: [ALLOW, DENY] } });
  await session.call({ id: "c1", name: "pay", arguments: { to: "bob" } });
  await session.call({ id: "c2", name: "pay", arguments: { to: "eve" } });
  await session.close();
  const events = await eventsOf(store, "s");
  expect(events.find(({ type }) => type === "session-open")).toMatchObject({
    eventVersion: 1,
    program: { name: "toolkeep", version: "1.2.3" },
    policy: expect.stringMatching(/^[0-9a-f]{64}$/),
    sandbox: "none",
  });
  expect(events.find(({ type }) => type === "call-start")).toMatchObject({
    allowedBy: expect.stringMatching(/^rule: allow payments\.send/),
    ruleAt: "policy.yaml:7",
  });
  expect(events.find(({ type }) => type === "call-refuse")).toMatchObject({ ruleAt: "policy.yaml:8" });
});

test("a session that is opened again with another policy says so, and with the same one does not", async () => {
  await using store = openSqliteStore({ path: temporaryFolder() });
  for (const rules of [[ALLOW], [ALLOW], [ALLOW, DENY], [ALLOW, DENY]])
    await (await createSession({ id: "s", store, tools: [pay], policy: { rules } })).close();
  const events = await eventsOf(store, "s");
  const opened = events.filter((event) => event.type === "session-open").map(({ policy }) => policy);
  expect(new Set(opened).size).toBe(2);
  expect(events.filter(({ type }) => type === "policy-change")).toMatchObject([
    { before: opened[0], policy: opened[2] },
  ]);
});

test("a policy has the same fingerprint in every workspace, and an authorizer of the host application has none", async () => {
  await using store = memoryStore();
  const policyOf = async (options: Parameters<typeof createSession>[0]) => {
    const session = await createSession({ store, ...options });
    const journal: JournalEvent[] = [];
    await session.close();
    const reading = await store.open(options?.id ?? "");
    for await (const event of reading.read({ types: ["session-open"] })) journal.push(event);
    await reading.release();
    return journal.flatMap((event) => (event.type === "session-open" ? [event.policy] : []))[0];
  };
  const policy = { rules: [ALLOW] };
  const one = await policyOf({ id: "a", policy, variables: { workspace: ["/a"] } });
  const other = await policyOf({ id: "b", policy, variables: { workspace: ["/b"] } });
  expect(one).toBe(other);
  const authorizer = { decide: () => ({ action: "allow", layer: "rule", matchedBy: "own" }) as const };
  expect(await policyOf({ id: "c", policy: authorizer })).toBeUndefined();
});
