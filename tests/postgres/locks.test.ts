import { hash } from "node:crypto";
import { once } from "node:events";
import { createSession } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import pg from "pg";
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

  test("a call is cancelled when the connection is lost that holds its locks", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const began = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const { tool } = stubTool(
      "deploy",
      async (_args, { abortSignal }) => {
        const aborted = once(abortSignal, "abort");
        began.resolve();
        await aborted;
        reasons.push(abortSignal.reason);
        throw new Error("Stopped.");
      },
      {
        idempotent: false,
        requires: { capabilities: ["deploy.run"] },
        effects: () => [effect("deploy.run", "production")],
        locks: ["deploy.run"],
      },
    );
    await using session = await createSession({ id: "s", store, tools: [tool], policy: ["allow *"] });
    const calling = session.call({ id: "1", name: "deploy", arguments: {} });
    await began.promise;
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    const lockClass = Number.parseInt(hash("sha256", `toolkeep ${schema}`).slice(0, 7), 16);
    const ended = await client.query(`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND classid = ${lockClass}`);
    await client.end();
    expect(ended.rows).toHaveLength(1);
    expect((await calling).ok).toBe(false);
    expect(reasons).toEqual(["cancelled"]);
  });
});
