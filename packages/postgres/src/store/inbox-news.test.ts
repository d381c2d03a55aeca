import type { StoreNews } from "@toolkeep/core/journal";
import { expect, test } from "vitest";
import { InboxNews, type StoredEntry } from "./inbox-news.ts";

test("all that ask for a look while one is under way share the next one, which sees what came meanwhile", async () => {
  const entries: StoredEntry[] = [];
  let reads = 0;
  const gate = Promise.withResolvers<void>();
  const told = new InboxNews([], async () => {
    reads += 1;
    const found = [...entries];
    await gate.promise;
    return found;
  });
  const news: StoreNews[] = [];
  told.listen((one) => news.push(one));
  const looks = Array.from({ length: 400 }, (_, n) => {
    entries.push({ id: `${n}`, type: "message", key: `${n}` });
    return told.look();
  });
  gate.resolve();
  await Promise.all(looks);
  expect(reads).toBe(2);
  expect(news).toEqual([{ type: "messages" }, { type: "messages" }]);
});

test("a look that fails does not keep the next one from looking", async () => {
  let reads = 0;
  const told = new InboxNews([], async () => {
    reads += 1;
    if (reads === 1) throw new Error("the database does not answer");
    return [{ id: "1", type: "cancel", key: "t1" }];
  });
  const news: StoreNews[] = [];
  told.listen((one) => news.push(one));
  const [first, second] = await Promise.allSettled([told.look(), told.look()]);
  expect([first.status, second.status, news]).toEqual([
    "rejected",
    "fulfilled",
    [{ type: "cancel", turn: "t1" }],
  ]);
});
