import { describe, expect, test } from "vitest";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

describe.skipIf(POSTGRES_URL === "")("locks across sessions", () => {
  const openStore = testStores();
  const { signal } = new AbortController();

  test("one process at a time has a lock; it is free when it is released or its store is closed", async () => {
    const schema = newSchema();
    const [one, other] = [await openStore({ schema }), await openStore({ schema })];
    const held = await one.locks?.acquire(["a", "b"], { signal });
    expect(held).toBeDefined();
    expect(await other.locks?.acquire(["b"], { signal, wait: false })).toBeUndefined();
    expect(await one.locks?.acquire(["a"], { signal, wait: false })).toBeUndefined();
    const waiting = other.locks?.acquire(["b", "c"], { signal });
    await held?.release();
    const taken = await waiting;
    expect(taken).toBeDefined();
    expect(await one.locks?.acquire(["c"], { signal, wait: false })).toBeUndefined();
    await other.close();
    expect(await one.locks?.acquire(["c"], { signal })).toBeDefined();
  });

  test("an aborted signal ends the waiting, and leaves no lock behind", async () => {
    const schema = newSchema();
    const [one, other] = [await openStore({ schema }), await openStore({ schema })];
    const held = await one.locks?.acquire(["b"], { signal });
    const controller = new AbortController();
    const waiting = other.locks?.acquire(["a", "b"], { signal: controller.signal });
    controller.abort();
    expect(await waiting).toBeUndefined();
    expect(await one.locks?.acquire(["a"], { signal, wait: false })).toBeDefined();
    await held?.release();
  });
});
