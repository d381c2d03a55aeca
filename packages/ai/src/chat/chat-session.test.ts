import type { Session } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  memoryJournal,
  memoryPending,
} from "@toolkeep/core/internal";
import { expect, test } from "vitest";
import { ChatSession, ChatSlot, slotOf } from "./chat-session.ts";

/** Sessions that report when they open and close. */
function watched(name: string, log: string[], slot?: ChatSlot, idleMs?: number): ChatSession {
  const open = async (): Promise<Session> => {
    log.push(`${name} opens`);
    const session = await createSession({ journal: memoryJournal(), pending: memoryPending() });
    for (const end of ["close", "leave"] as const) {
      const ended = session[end].bind(session);
      session[end] = async () => {
        log.push(`${name} ${end}s`);
        await ended();
      };
    }
    return session;
  };
  return new ChatSession({ open, slot, idleMs });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("several uses share one session, which stays open until it is closed", async () => {
  const log: string[] = [];
  const chat = watched("a", log);
  const ids = await Promise.all([1, 2, 3].map(() => chat.use(async ({ id }) => id)));
  expect(new Set(ids).size).toBe(1);
  await chat.close();
  await chat.close();
  expect(log).toEqual(["a opens", "a closes"]);
});

test("two users of a chat take turns: the second waits for the calls of the first", async () => {
  const log: string[] = [];
  const slot = new ChatSlot();
  const [one, two] = [watched("a", log, slot), watched("b", log, slot)];
  const first = one.use(async () => {
    await pause(30);
    log.push("a worked");
  });
  const second = two.use(async () => void log.push("b worked"));
  const third = one.use(async () => void log.push("a again"));
  await Promise.all([first, second, third]);
  expect(log).toEqual([
    "a opens",
    "a worked",
    "a closes",
    "b opens",
    "b worked",
    "b closes",
    "a opens",
    "a again",
  ]);
});

test("work that needs the session it runs in continues, although another user waits", async () => {
  const slot = new ChatSlot();
  const [one, two] = [watched("a", [], slot), watched("b", [], slot)];
  let waits: Promise<unknown> = Promise.resolve();
  const inner = await one.use(async () => {
    waits = two.use(async () => {});
    await pause(10);
    return one.use(async () => "inner");
  });
  expect(inner).toBe("inner");
  await waits;
});

test("a session without idle time is free for others before its use returns", async () => {
  const log: string[] = [];
  const chat = watched("a", log, undefined, 0);
  await Promise.all([chat.use(() => pause(10)), chat.use(() => pause(20))]);
  expect(log).toEqual(["a opens", "a leaves"]);
});

test("an idle session is given free after a while, and opened again when needed", async () => {
  const log: string[] = [];
  const chat = watched("a", log, undefined, 10);
  await chat.use(() => pause(30));
  expect(log).toEqual(["a opens"]);
  await expect.poll(() => log).toEqual(["a opens", "a leaves"]);
  await chat.use(async () => {});
  expect(log).toEqual(["a opens", "a leaves", "a opens"]);
});

test("a use can ask for a rest, which another user in this process does not wait for", async () => {
  const log: string[] = [];
  const slot = new ChatSlot();
  const [one, two] = [watched("a", log, slot, 0), watched("b", log, slot, 0)];
  await one.use(
    async () => 60_000,
    (restMs) => restMs,
  );
  expect(log).toEqual(["a opens"]);
  await one.use(async () => {});
  expect(log).toEqual(["a opens", "a leaves"]);
  await one.use(
    async () => 60_000,
    (restMs) => restMs,
  );
  await two.use(async () => {});
  expect(log.slice(2)).toEqual(["a opens", "a leaves", "b opens", "b leaves"]);
});

test("a failed opening fails for its caller, and the next one tries again", async () => {
  let tries = 0;
  const open = async () => {
    tries += 1;
    if (tries === 1) throw new Error("in use");
    return createSession();
  };
  const chat = new ChatSession({ open, idleMs: undefined });
  await expect(chat.use(async () => {})).rejects.toThrow("in use");
  await expect(chat.use(async () => "open")).resolves.toBe("open");
});

test("a chat has one slot in a store, and another one in another store", () => {
  const [store, other] = [{}, {}];
  expect(slotOf(store, "a")).toBe(slotOf(store, "a"));
  expect(slotOf(store, "a")).not.toBe(slotOf(store, "b"));
  expect(slotOf(store, "a")).not.toBe(slotOf(other, "a"));
});
