import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ToolkeepError } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { runProgram } from "../../../../tests/crash/run-program.ts";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { BatchRows } from "./batches.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 40);

/** A closed store with one session of some calls. */
async function filled(calls = 60): Promise<string> {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: folder });
  const session = await createSession({
    id: "s",
    tools: [stubTool("work").tool],
    journal: store.journal("s"),
  });
  for (let n = 0; n < calls; n += 1) await session.call({ id: `c${n}`, name: "work", arguments: { n } });
  await session.close();
  await store.close();
  return folder;
}

function change(folder: string, sql: string): void {
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  db.exec(sql);
  db.close();
}

test("every change of the record is found, and the verdict says where", async () => {
  const third = "(SELECT id FROM batches ORDER BY id LIMIT 1 OFFSET 3)";
  const last = "(SELECT max(id) FROM batches)";
  const changes: readonly (readonly [sql: string, diagnostic: RegExp])[] = [
    [
      `UPDATE batches SET bytes = CAST(replace(bytes, 'work', 'wxrk') AS BLOB) WHERE id = ${third}`,
      /at event \d+: its bytes were changed/,
    ],
    [`DELETE FROM batches WHERE id = ${third}`, /at event \d+: it does not follow the batch before it/],
    [`DELETE FROM batches WHERE id = ${last}`, /its end is missing/],
    ["DELETE FROM batches", /its end is missing/],
    ["UPDATE sessions SET next_seq = next_seq - 1", /its end is missing/],
    ["DELETE FROM standing_events WHERE type = 'session-open'", /its index does not agree with its events/],
    ["DELETE FROM turns WHERE turn = 3", /at event \d+: its index does not agree with its events/],
    ["UPDATE turns SET turn = 'other' WHERE turn = 3", /its index does not agree with its events/],
    ["INSERT INTO turns SELECT session, 'never', first_seq FROM turns LIMIT 1", /its index does not agree/],
    ["UPDATE sessions SET last_turn = 1", /its index does not agree with its events/],
    [`UPDATE batches SET events = events + 1 WHERE id = ${third}`, /does not have as many events as it says/],
  ];
  for (const [sql, diagnostic] of changes) {
    const folder = await filled(8);
    change(folder, sql);
    const store = openSqliteStore({ path: folder });
    expect([sql, await store.verify("s")]).toEqual([
      sql,
      {
        ...{ intact: false, batch: expect.any(Number), event: expect.any(Number) },
        diagnostic: expect.stringMatching(diagnostic),
      },
    ]);
    await store.close();
  }
});

test("a session with a broken end does not open; one that is broken earlier stops once that is found", async () => {
  const end = await filled(8);
  change(end, "UPDATE batches SET bytes = zeroblob(100) WHERE id = (SELECT max(id) FROM batches)");
  const first = openSqliteStore({ path: end });
  expect(() => first.journal("s")).toThrow(/broken at event \d+: the bytes of its last batch were changed/);
  expect(first.sessions()).toMatchObject([{ isInUse: false }]);
  await first.close();
  const middle = await filled(8);
  change(middle, "UPDATE batches SET bytes = zeroblob(100) WHERE id % 4294967296 = 5");
  const second = openSqliteStore({ path: middle });
  const journal = second.journal("s");
  await expect(Array.fromAsync(journal.read())).rejects.toThrow(/broken at event 5: its bytes were changed/);
  expect(await journal.checked).toMatchObject({ intact: false, batch: 2 });
  expect(() => journal.append(journal.extent().nextSeq, 0, "", { type: "session-close" })).toThrow(
    /cannot be continued: at event 5/,
  );
  await second.close();
});

test("a session that is opened again is verified from where it was: what was added since, and its end", async () => {
  const folder = await filled(8);
  await using store = openSqliteStore({ path: folder });
  const opened = async () => {
    const journal = store.journal("s");
    const verdict = await journal.checked;
    journal.close();
    return verdict;
  };
  const whole = await opened();
  expect(whole).toMatchObject({ intact: true });
  expect(await opened()).toEqual(whole);
  // Another store adds to it.
  const other = openSqliteStore({ path: folder });
  const session = await createSession({
    id: "s",
    tools: [stubTool("work").tool],
    journal: other.journal("s"),
  });
  for (let n = 0; n < 4; n += 1) await session.call({ id: `d${n}`, name: "work", arguments: { n } });
  await session.close();
  await other.close();
  const added = "(SELECT id FROM batches ORDER BY id DESC LIMIT 1 OFFSET 2)";
  change(folder, `UPDATE batches SET bytes = zeroblob(100) WHERE id = ${added}`);
  const broken = await opened();
  expect(broken).toMatchObject({
    intact: false,
    diagnostic: expect.stringMatching(/its bytes were changed/),
  });
  // After that it begins anew.
  expect(await opened()).toEqual(broken);
  expect(await store.verify("s")).toEqual(broken);
});

test("of a session that was verified, a turn is searched among what was added since alone", async () => {
  const folder = await filled(8);
  await using store = openSqliteStore({ path: folder });
  const searched = vi.spyOn(BatchRows.prototype, "mentioning");
  const eventsOf = async (turn: string) => {
    const journal = store.journal("s");
    searched.mockClear();
    const events = await Array.fromAsync(journal.read({ turn }));
    const ranges = searched.mock.calls.length;
    await journal.checked;
    journal.close();
    return { events: events.length, ranges };
  };
  try {
    const first = await eventsOf("t3");
    expect(first).toEqual({ events: expect.any(Number), ranges: 1 });
    expect(first.events).toBeGreaterThan(0);
    expect(await eventsOf("t3")).toEqual({ ...first, ranges: 0 });
    expect(await eventsOf("never")).toEqual({ events: 0, ranges: 0 });
  } finally {
    searched.mockRestore();
  }
});

test.each([
  "DELETE FROM turns WHERE turn = 3",
  "UPDATE turns SET turn = 'other' WHERE turn = 3",
  "UPDATE turns SET first_seq = 0 WHERE turn = 3 AND first_seq = (SELECT max(first_seq) FROM turns WHERE turn = 3)",
])(
  "a turn that vanishes from the index after it was verified is not taken for a new one: %s",
  async (sql) => {
    const folder = await filled(8);
    await using store = openSqliteStore({ path: folder });
    const before = store.journal("s");
    expect(await before.checked).toMatchObject({ intact: true });
    before.close();
    change(folder, sql);
    const after = store.journal("s");
    await expect(Array.fromAsync(after.read({ turn: "t3" }))).rejects.toThrow(
      /at event \d+: its index does not agree with its events/,
    );
    after.close();
  },
);

test("a session does not continue after its write-ahead log was removed, cut or overwritten", async () => {
  const folder = temporaryFolder();
  const child = runProgram("write-session.ts", { folder, sessionId: "s", calls: 30, hold: true });
  await child.saidLines(1);
  child.kill();
  await child.ended;
  const log = readFileSync(join(folder, "toolkeep.db-wal"));
  expect(log.length).toBeGreaterThan(20_000);
  const damages: readonly ((path: string) => void)[] = [
    (path) => rmSync(path),
    (path) => truncateSync(path, Math.floor(log.length / 2)),
    (path) => writeFileSync(path, log.fill(0xa5, log.length - 9_000)),
  ];
  for (const damage of damages) {
    const copy = join(temporaryFolder(), "copy");
    copyStore(folder, copy);
    rmSync(join(copy, "toolkeep.db-shm"), { force: true });
    damage(join(copy, "toolkeep.db-wal"));
    const store = openSqliteStore({ path: copy });
    expect(() => store.journal("s")).toThrow(/broken at event \d+: its last \d+ events are missing/);
    await store.close();
  }
});

test("whichever byte of the database is changed, the store never returns an event that was not written", async () => {
  const folder = await filled();
  const original = join(folder, "toolkeep.db");
  const size = statSync(original).size;
  const intact = openSqliteStore({ path: folder });
  const lines = await Array.fromAsync(intact.export("s"));
  await intact.close();
  expect(await readBack(folder)).toEqual(lines);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(size - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(64),
      async (at, mask, length) => {
        const copy = join(temporaryFolder(), "copy");
        copyStore(folder, copy);
        const bytes = readFileSync(original);
        for (let index = at; index <= Math.min(at + length, size - 1); index += 1)
          bytes[index] = (bytes[index] as number) ^ mask;
        writeFileSync(join(copy, "toolkeep.db"), bytes);
        const read = await readBack(copy);
        if (typeof read !== "string") expect(read).toEqual(lines);
      },
    ),
    { numRuns: runs },
  );
});

/** Keeps the modes: a store does not open a copy that other users can read. */
function copyStore(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** All lines if the store is intact; otherwise what it reports. */
async function readBack(folder: string): Promise<readonly string[] | string> {
  try {
    const store = openSqliteStore({ path: folder });
    try {
      const verdict = await store.verify("s");
      if (!verdict.intact) return verdict.diagnostic;
      return await Array.fromAsync(store.export("s"));
    } finally {
      await store.close();
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ToolkeepError);
    return String(error);
  }
}
