import { join } from "node:path";
import { approvedRuns } from "@toolkeep/core/internal";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openStore, type Store } from "@toolkeep/sqlite";
import { describe, expect, test } from "vitest";
import { verifySessions } from "../../packages/cli/src/sessions/verify-sessions.ts";
import { temporaryFolders } from "../crash/temporary-folder.ts";
import { answered, sessionIn, TOKEN, waiting } from "./waiting-calls.ts";

const temporary = temporaryFolders();
async function* changed(store: Store, change: (event: JournalEvent, all: JournalEvent[]) => unknown) {
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
    const store = openStore({ path: join(temporary(), "store") });
    await waiting(store);
    expect(await approvedRuns("s", store.events("s"), store.pending)).toEqual({
      ...{ ran: 0, compared: 2, deleted: 0, errors: [] },
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
    const store = openStore({ path: join(temporary(), "store") });
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
    ["another tool", (event: JournalEvent) => withRequest(event, () => ({ toolName: "list" }))],
  ])("%s is found, while the call waits and after it ran", async (_what, change) => {
    const store = openStore({ path: join(temporary(), "store") });
    await waiting(store);
    const early = await approvedRuns("s", changed(store, change), store.pending);
    expect(early.errors).toHaveLength(1);
    await answered(store);
    const late = await approvedRuns("s", changed(store, change), store.pending);
    expect(late.errors).toHaveLength(1);
    await store.close();
  });

  test("another raw call, and a call that ran with another digest, are found", async () => {
    const store = openStore({ path: join(temporary(), "store") });
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
});
