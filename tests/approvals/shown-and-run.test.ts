import { join } from "node:path";
import { createRedactor } from "@toolkeep/core";
import { approvedRuns } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";
import { describe, expect, test } from "vitest";
import { verifySessions } from "../../packages/cli/src/audit/evidence/verify-sessions.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { answered, sessionIn, TOKEN, waiting } from "./waiting-calls.ts";

async function* changed(store: SqliteStore, change: (event: JournalEvent, all: JournalEvent[]) => unknown) {
  const all = await Array.fromAsync(store.events("s"));
  for (const event of all) yield (change(event, all) ?? event) as JournalEvent;
}

type Fields = Record<string, never>;

/** A request with other fields, as an attacker could write it who builds the chain anew. */
function withRequest(event: JournalEvent, fields: (request: Fields) => object): unknown {
  if (event.type !== "approval-request" || event.turn !== "t1") return undefined;
  return { ...event, request: { ...event.request, ...fields(event.request as unknown as Fields) } };
}

describe("an approval is bound to the raw call", () => {
  test("verify compares what is shown with the raw call until its salt is deleted, and then with what ran", async () => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    await waiting(store);
    expect(await approvedRuns("s", store.events("s"), store.pending)).toEqual({
      ...{ ran: 0, edited: 0, compared: 2, deleted: 0, errors: [] },
    });
    const text = JSON.stringify(await Array.fromAsync(store.events("s")));
    expect(text).not.toContain(TOKEN);
    await answered(store);
    const shown: unknown[] = [];
    const terminal = {
      show: (_value: unknown, lines: readonly unknown[]) => shown.push(...lines),
      note() {},
    };
    expect(await verifySessions(store, { ids: ["s"] }, terminal as never)).toBe(0);
    expect(shown).toEqual([
      expect.stringContaining("s  intact"),
      "  approvals: 2 calls ran as shown, 2 salts deleted with their arguments",
    ]);
    await store.close();
  });

  test("the same arguments never have the same digest, so that a guess cannot be confirmed", async () => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    const session = await sessionIn(store);
    for (const turn of ["t1", "t2"])
      await session.run([{ id: "c1", name: "deploy", arguments: { to: "a" } }], { id: turn });
    await session.leave();
    const digests = (await Array.fromAsync(store.events("s"))).flatMap((event) =>
      event.type === "approval-request" ? [event.request.binding.arguments] : [],
    );
    expect(new Set(digests).size).toBe(2);
    await store.close();
  });

  test.each([
    [
      "a request that shows other arguments",
      (event: JournalEvent) =>
        withRequest(event, () => ({ arguments: { to: "harmless", auth: "x [redacted:github-token] y" } })),
    ],
    [
      "a request that shows an entry less",
      (event: JournalEvent) => withRequest(event, () => ({ arguments: { to: "staging" } })),
    ],
    [
      "a request that hides a word behind a mark in another place",
      (event: JournalEvent) =>
        withRequest(event, () => ({ arguments: { to: "staging", auth: "z [redacted:x]" } })),
    ],
    [
      "the digest of another request",
      (event: JournalEvent, all: JournalEvent[]) =>
        withRequest(event, () => ({
          binding: (all.findLast(({ type }) => type === "approval-request") as unknown as { request: Fields })
            .request["binding"],
        })),
    ],
    [
      "a request that shows nothing",
      (event: JournalEvent) => withRequest(event, () => ({ arguments: null })),
    ],
    [
      "a digest without salt",
      (event: JournalEvent) => withRequest(event, () => ({ binding: { arguments: "0".repeat(64) } })),
    ],
    ["another tool", (event: JournalEvent) => withRequest(event, () => ({ toolName: "list" }))],
  ])("%s is found, while the call waits and after it ran", async (_what, change) => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    await waiting(store);
    const early = await approvedRuns("s", changed(store, change), store.pending);
    expect(early.errors).toHaveLength(1);
    await answered(store);
    const late = await approvedRuns("s", changed(store, change), store.pending);
    expect(late.errors).toHaveLength(1);
    await store.close();
  });

  test.each([
    ["runs as it was given", (text: string) => text, { ok: true }],
    [
      "does not run if the store has another one",
      (text: string) => text.replace("staging", "production"),
      { ok: false, failure: { message: expect.stringContaining("changed in the store") } },
    ],
  ])("an edit %s", async (_what, change, result) => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    await waiting(store);
    const first = await sessionIn(store);
    const edit = { to: "staging", auth: `${TOKEN} edited` };
    await first.answer("t1/c1", { verdict: "edit", arguments: edit });
    await first.leave();
    await store.pending.put("s/t1/c1/edit", change((await store.pending.get("s/t1/c1/edit")) ?? ""));
    const second = await sessionIn(store);
    expect((await second.resume("t1")).results?.[0]).toMatchObject(result);
    await second.close();
    await store.close();
  });

  test("another raw call, and a call that ran with another digest, are found", async () => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    await waiting(store);
    const kept = (await store.pending.get("s/t1/c1")) ?? "";
    await store.pending.put("s/t1/c1", kept.replace("staging", "production"));
    const { errors } = await approvedRuns("s", store.events("s"), store.pending);
    expect(errors).toEqual(["Request t1/c1: its digest is not that of the raw call that is kept."]);
    await store.pending.put("s/t1/c1", kept);
    await answered(store);
    const swap = (event: JournalEvent, all: JournalEvent[]) =>
      event.type === "call-start" && event.turn === "t1"
        ? {
            ...event,
            digest: (all.findLast(({ type }) => type === "call-start") as { digest?: string }).digest,
          }
        : undefined;
    const swapped = await approvedRuns("s", changed(store, swap), store.pending);
    expect(swapped.errors).toEqual(["Call t1/c1: it is not the call that was shown."]);
    await store.close();
  });

  const ofFirst = (type: JournalEvent["type"], change: (event: never, all: JournalEvent[]) => unknown) =>
    [type, change] as const;
  test.each([
    [
      "a run after a No",
      [ofFirst("approval-answer", (event: Fields) => ({ ...event, answer: { verdict: "reject" } }))],
      "it ran without a yes to its request",
    ],
    [
      "a run without an answer",
      [ofFirst("approval-answer", () => [])],
      "it ran without a yes to its request",
    ],
    [
      "a run without a request",
      [
        ofFirst("approval-request", () => []),
        ofFirst("call-start", ({ digest: _, ...event }: Fields) => event),
      ],
      "it ran without the digest of a request",
    ],
    [
      "digests without salt that differ",
      [
        ofFirst("approval-request", (event: Fields) => ({
          ...event,
          request: { ...(event["request"] as unknown as object), binding: { arguments: "00" } },
        })),
        ofFirst("call-start", (event: Fields) => ({ ...event, digest: "11" })),
      ],
      "it is not the call that was shown",
    ],
    [
      "a second run with the same approval",
      [ofFirst("call-end", (event: Fields, all) => [event, all.find(({ type }) => type === "call-start")])],
      "it is not the call that was shown",
    ],
  ])("%s is found", async (_what, changes, error) => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    await waiting(store);
    await answered(store);
    const all = await Array.fromAsync(store.events("s"));
    async function* events() {
      for (const event of all) {
        const [, change] = changes.find(([type]) => event.turn === "t1" && event.type === type) ?? [];
        yield* [change?.(event as never, all) ?? event].flat() as JournalEvent[];
      }
    }
    const { errors } = await approvedRuns("s", events(), store.pending);
    expect(errors).toEqual([`Call t1/c1: ${error}.`]);
    await store.close();
  });

  test.each([
    ["names like numbers that are secrets", { arguments: '{"a":1,"12345678":2,"7":3,"b":{"12345678":"x"}}' }],
    ["a host whose own secrets look like digests", { arguments: { to: "a" }, shape: "[0-9a-f]{32}" }],
    [
      "an edit that shows nothing of the first arguments",
      { arguments: { to: "a" }, answer: { verdict: "edit" as const, arguments: { auth: TOKEN, n: 1 } } },
    ],
  ])("%s are no alarm, while the call waits, after it ran, and when it is erased", async (_what, call) => {
    const store = openSqliteStore({ path: join(temporaryFolder(), "store") });
    const redactor = createRedactor({
      shapes: "shape" in call ? [{ name: "own", pattern: call.shape }] : [],
    });
    redactor.add("PIN", "12345678");
    const session = await sessionIn(store, redactor);
    await session.run([{ id: "c1", name: "deploy", arguments: call.arguments }], { id: "t1" });
    const found = async () => approvedRuns("s", store.events("s"), store.pending);
    expect(await found()).toMatchObject({ compared: 1, errors: [] });
    await session.answer("t1/c1", "answer" in call ? call.answer : { verdict: "once" });
    expect((await session.resume("t1")).results?.[0]).toMatchObject({ ok: true });
    await session.close();
    const ran = "answer" in call ? { ran: 0, edited: 1 } : { ran: 1, edited: 0 };
    expect(await found()).toMatchObject({ ...ran, errors: [] });
    await store.erase("s");
    expect(await found()).toMatchObject({ ...ran, errors: [] });
    await store.close();
  });
});
