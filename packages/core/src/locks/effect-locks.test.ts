import fc from "fast-check";
import { expect, test } from "vitest";
import { effect, fsRead, fsWrite, netFetch } from "../contract/call/effect.ts";
import { createEffectLocks } from "./effect-locks.ts";
import { lockKeys } from "./lock-keys.ts";

test("readers share, writers exclude, and those who came earlier go first", async () => {
  const locks = createEffectLocks();
  const request = (make: typeof fsRead, path: string) => locks.request(lockKeys([make(path)]));
  const [r1, r2] = [request(fsRead, "/a"), request(fsRead, "/a")];
  expect([r1.granted, r2.granted]).toEqual([undefined, undefined]);
  const writer = request(fsWrite, "/a");
  const late = request(fsRead, "/a");
  const log: string[] = [];
  void writer.granted?.then(() => log.push("writer"));
  void late.granted?.then(() => log.push("late"));
  r1.release();
  await 0;
  expect(log).toEqual([]);
  r2.release();
  await writer.granted;
  expect(log).toEqual(["writer"]);
  writer.release();
  writer.release();
  await late.granted;
  expect(log).toEqual(["writer", "late"]);
});

test("a pattern locks the folder beneath it; other folders with the same beginning are free", () => {
  const locks = createEffectLocks();
  locks.request(lockKeys([fsWrite("/repo/src/**")]));
  expect(locks.request(lockKeys([fsWrite("/repo/src/a/b.ts")])).granted).toBeInstanceOf(Promise);
  expect(locks.request(lockKeys([fsWrite("/repo/src2/a.ts")])).granted).toBeUndefined();
  expect(locks.request(lockKeys([fsRead("/repo/**")])).granted).toBeInstanceOf(Promise);
});

test("hosts need no lock; named resources are locked by name", () => {
  const locks = createEffectLocks();
  expect(lockKeys([netFetch("a.example")])).toEqual([]);
  locks.request(lockKeys([effect("calendar.update", "team")]));
  expect(locks.request(lockKeys([effect("calendar.update", "team")])).granted).toBeInstanceOf(Promise);
  expect(locks.request(lockKeys([effect("calendar.update", "mine")])).granted).toBeUndefined();
});

test("a call that waits behind an abandoned ticket is told, so that it can wait for another turn", async () => {
  const locks = createEffectLocks();
  const keys = lockKeys([fsWrite("/a")]);
  const [first, second] = [locks.request(keys), locks.request(keys)];
  first.release("abandoned");
  expect(await second.granted).toBe("abandoned");
});

test("for any requests: never two that conflict at once, and everybody is served", async () => {
  const paths = fc.constantFrom("/a", "/b", "/c/d", "/c/**");
  const requests = fc.array(fc.array(fc.tuple(fc.boolean(), paths), { minLength: 1, maxLength: 3 }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(requests, async (wanted) => {
      const locks = createEffectLocks();
      const holding: { writes: Set<string>; all: Set<string> }[] = [];
      const served = await Promise.all(
        wanted.map(async (keys) => {
          const ticket = locks.request(
            lockKeys(keys.map(([writes, path]) => (writes ? fsWrite(path) : fsRead(path)))),
          );
          if (ticket.granted !== undefined) await ticket.granted;
          const mine = {
            writes: new Set<string>(keys.filter(([writes]) => writes).map(([, path]) => path)),
            all: new Set<string>(keys.map(([, path]) => path)),
          };
          for (const other of holding) {
            for (const path of mine.writes) expect(other.all.has(path)).toBe(false);
            for (const path of other.writes) expect(mine.all.has(path)).toBe(false);
          }
          holding.push(mine);
          await new Promise((resolve) => setImmediate(resolve));
          holding.splice(holding.indexOf(mine), 1);
          ticket.release();
          return true;
        }),
      );
      expect(served).toHaveLength(wanted.length);
    }),
    { numRuns: 100 },
  );
});
