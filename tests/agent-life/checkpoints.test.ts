import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import type { Principal, SessionStore } from "@toolkeep/core";
import type { OpenJournal } from "@toolkeep/core/journal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { copyStore, cutStore, openCut, overriding } from "./cut-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-checkpoints-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A store whose journals are read in another way. */
function reading(store: SessionStore, read: (journal: OpenJournal) => OpenJournal["read"]): SessionStore {
  const open = async (...given: Parameters<SessionStore["open"]>) => {
    const journal = await store.open(...given);
    return overriding(journal, { read: read(journal) });
  };
  return overriding(store, { open });
}

/** Counts the events that are read. */
function counting(store: SessionStore) {
  const count = { events: 0 };
  const counted = reading(
    store,
    (journal) =>
      async function* (query) {
        for await (const event of journal.read(query)) {
          count.events += 1;
          yield event;
        }
      },
  );
  return { store: counted, count };
}

/** Reads as if no run had left a checkpoint, as journals of earlier releases have none. */
const withoutCheckpoints = (store: SessionStore) =>
  reading(
    store,
    (journal) =>
      async function* (query) {
        for await (const event of journal.read(query))
          if (query?.standing !== true || event.type !== "run-end") yield event;
      },
  );

interface Given {
  /** The conversation is made shorter when it has so many messages. */
  readonly most?: number;
  readonly principal?: Partial<Principal>;
}

/** An agent that makes one call in each run, and what its model was asked. */
async function agentOn(store: SessionStore, { most = Number.POSITIVE_INFINITY, principal }: Given = {}) {
  const { model, asked } = modelOf(({ prompt }) => {
    const roles = [...prompt.matchAll(/"role":"(\w+)"/g)].map(([, role]) => role);
    return roles.at(-1) === "user" ? [call(`c${prompt.length}`, "work")] : "Done.";
  });
  const work = stubTool("work", () => "worked", { idempotent: true });
  const agent = await createAgent({
    ...{ id: "a", store, model, tools: [work.tool], policy: ["allow work"] },
    ...(principal === undefined ? {} : { principal }),
    compact: async (messages) => {
      if (messages.length <= most || messages.at(-1)?.role !== "user") return undefined;
      const kept = messages.filter(({ role }) => role === "user").slice(-2);
      return { messages: kept, dropped: messages.length };
    },
  });
  return { agent, asked, work };
}

test("a run reads what is new in the journal, however many runs there were", async () => {
  await using disk = openSqliteStore({ path: folder, durability: "normal" });
  const { store, count } = counting(disk);
  const { agent, asked } = await agentOn(store);
  const read: number[] = [];
  for (let n = 1; n <= 30; n += 1) {
    count.events = 0;
    expect(await endOf(agent.run(`Do ${n}.`))).toMatchObject({ reason: "done" });
    read.push(count.events);
  }
  await agent.leave();
  expect(read[29]).toBe(read[4]);
  for (const n of [1, 15, 30]) expect(asked.at(-1)?.prompt).toContain(`Do ${n}.`);
});

test("a process that opens the agent for one run reads from the checkpoint, and the model sees the same", async () => {
  await using disk = openSqliteStore({ path: join(folder, "one"), durability: "normal" });
  await using control = openSqliteStore({ path: join(folder, "two"), durability: "normal" });
  const { store, count } = counting(disk);
  const read: number[] = [];
  for (let n = 1; n <= 16; n += 1) {
    count.events = 0;
    const [one, two] = [
      await agentOn(store, { most: 8 }),
      await agentOn(withoutCheckpoints(control), { most: 8 }),
    ];
    for (const { agent } of [one, two]) {
      expect(await endOf(agent.run(`Do ${n}.`))).toMatchObject({ reason: "done" });
      await agent.leave();
    }
    expect(one.asked).toEqual(two.asked);
    read.push(count.events);
  }
  expect(Math.max(...read.slice(8))).toBeLessThanOrEqual(Math.max(...read.slice(0, 8)));
});

test("wherever the process is killed, the next one reads the same as it would without checkpoints", async () => {
  await using whole = cutStore(folder);
  for (let n = 1; n <= 4; n += 1) {
    const { agent } = await agentOn(whole.store, { most: 5 });
    await endOf(agent.run(`Do ${n}.`));
    await agent.leave();
  }
  const cuts = whole.cuts.filter((_path, index) => index % 6 === 0 || index > whole.cuts.length - 10);
  let resumed = 0;
  for (const path of cuts) {
    copyStore(path, `${path}-control`);
    const lives = [];
    for (const [copy, seen] of [
      [path, (store: SessionStore) => store],
      [`${path}-control`, withoutCheckpoints],
    ] as const) {
      await using store = await openCut(copy);
      const isUnfinished = (await store.unfinished(1)).length > 0;
      const { agent, asked } = await agentOn(seen(store), { most: 5 });
      if (isUnfinished) await endOf(agent.resume());
      const end = await endOf(agent.run("One more."));
      await agent.leave();
      resumed += isUnfinished ? 1 : 0;
      lives.push({ end, asked });
    }
    expect(lives[0], path).toEqual(lives[1]);
  }
  expect(resumed).toBeGreaterThan(10);
});

test("a run that began for one principal continues for that one, although its session was opened before the checkpoint", async () => {
  await using whole = cutStore(folder);
  const { agent } = await agentOn(whole.store, { most: 3, principal: { user: "ada" } });
  for (const n of [1, 2, 3, 4]) await endOf(agent.run(`Do ${n}.`));
  await agent.leave();
  const users = new Set<unknown>();
  for (const path of whole.cuts.slice(-16)) {
    await using store = await openCut(path);
    if ((await store.unfinished(1)).length === 0) continue;
    const before = (await Array.fromAsync(store.events("a"))).length;
    const { agent: later } = await agentOn(store, { most: 3, principal: { user: "bob" } });
    await endOf(later.resume());
    await later.leave();
    for await (const event of store.events("a"))
      if (event.seq >= before && event.type === "turn-start") users.add(event.principal?.user);
  }
  expect([...users]).toEqual(["ada"]);
});

test("if what the conversation was made to is erased, what is left of it is shown", async () => {
  await using store = openSqliteStore({ path: folder, durability: "normal" });
  for (let n = 1; n <= 6; n += 1) {
    const { agent } = await agentOn(store, { most: 7 });
    await endOf(agent.run(`Do ${n}.`));
    await agent.leave();
  }
  await store.erase("a", { callId: "none" });
  const { agent, asked } = await agentOn(store);
  await endOf(agent.run("Do 7."));
  await agent.leave();
  for (const n of [1, 4, 7]) expect(asked.at(-1)?.prompt).toContain(`Do ${n}.`);
});
