import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSession, defineTool } from "@toolkeep/core";
import { effect } from "@toolkeep/core/internal";
import { openSqliteStore } from "@toolkeep/sqlite";
import { STORE_RECORD } from "@toolkeep/sqlite/internal";
import { describe, expect, test } from "vitest";
import { checkpointOf } from "../../packages/cli/src/audit/evidence/checkpoint.ts";
import { compareCheckpoints } from "../../packages/cli/src/audit/evidence/verify-outside.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SESSION = 2 ** 32;

const pay = (ran: () => void = () => {}) =>
  defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    requires: { capabilities: ["payments.send"] },
    effects: ({ n }) => [effect("payments.send", String(n))],
    execute({ n }) {
      ran();
      return `paid ${String(n)}`;
    },
  });

type Durability = "full" | "normal";

/** A closed store with two sessions of some calls, and one approval for a project. */
async function filled(durability: Durability): Promise<string> {
  const folder = join(temporaryFolder(), "store");
  const store = openSqliteStore({ path: folder, durability });
  for (const id of ["s1", "s2"]) {
    const session = await createSession({ id, store, tools: [pay()], policy: ["allow payments.send *"] });
    for (let n = 0; n < 6; n += 1) await session.call({ id: `c${n}`, name: "pay", arguments: { n } });
    await session.close();
  }
  const about = { id: "a1", toolName: "pay", lines: ["pays"] } as never;
  store.projectApprovals("/shop").add("e".repeat(64), about);
  await store.close();
  return folder;
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The batches of the first session. */
interface Row {
  readonly id: number;
  readonly events: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

function rows(db: DatabaseSync, session = 1): readonly Row[] {
  const found = db
    .prepare("SELECT id, events, hash, bytes FROM batches WHERE id >= ? AND id < ? ORDER BY id")
    .all(session * SESSION, (session + 1) * SESSION);
  return found as unknown as readonly Row[];
}

function at(db: DatabaseSync, index: number, session = 1): Row {
  return rows(db, session).at(index) as Row;
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const noteOf = (folder: string, name: string) => join(folder, "heads", sha256(name).slice(0, 40));

function removeSession(db: DatabaseSync): void {
  db.exec(`DELETE FROM batches WHERE id < ${2 * SESSION}; DELETE FROM standing_events WHERE session = 1;
    DELETE FROM turns WHERE session = 1; DELETE FROM sessions WHERE id = 1`);
}

function cutTail(db: DatabaseSync): void {
  const all = rows(db);
  const last = all[4] as Row;
  const next = last.id - SESSION + last.events;
  db.exec(`DELETE FROM batches WHERE id > ${last.id} AND id < ${2 * SESSION};
    UPDATE sessions SET next_seq = ${next}, head = '${last.hash}', is_closed = 0 WHERE id = 1;
    DELETE FROM standing_events WHERE session = 1 AND seq >= ${next};
    DELETE FROM turns WHERE session = 1 AND first_seq >= ${next}`);
}

/** The chain is built anew with another text, and the note of its end as well. */
function rebuild(db: DatabaseSync, folder: string): void {
  const known = new Map<string, string>();
  let head = "";
  for (const { id, hash, bytes } of rows(db)) {
    let changed = text(bytes).replaceAll("paid 3", "paid 8");
    for (const [before, after] of known) changed = changed.replace(before, after);
    head = sha256(changed);
    known.set(hash, head);
    db.prepare("UPDATE batches SET bytes = ?, hash = ? WHERE id = ?").run(Buffer.from(changed), head, id);
  }
  db.prepare("UPDATE sessions SET head = ? WHERE id = 1").run(head);
  const note = noteOf(folder, "s1");
  if (existsSync(note)) writeFileSync(note, readFileSync(note, "utf8").replace(/[0-9a-f]{64}/, head));
}

function clone(db: DatabaseSync): void {
  db.exec(`INSERT INTO sessions (name, opened_at, active_at, next_seq, last_turn, calls, is_closed, head)
    SELECT 'forged', opened_at, active_at, next_seq, last_turn, calls, is_closed, head FROM sessions WHERE id = 1`);
  const { id } = db.prepare("SELECT id FROM sessions WHERE name = 'forged'").get() as { id: number };
  db.exec(`INSERT INTO batches SELECT id + ${(id - 1) * SESSION}, events, hash, bytes FROM batches WHERE id < ${2 * SESSION};
    INSERT INTO standing_events SELECT ${id}, type, key, seq, first_seq FROM standing_events WHERE session = 1;
    INSERT INTO turns SELECT ${id}, turn, first_seq FROM turns WHERE session = 1`);
}

function swap(db: DatabaseSync): void {
  const [one, other] = [at(db, 3, 1), at(db, 3, 2)];
  const put = db.prepare("UPDATE batches SET bytes = ?, hash = ?, events = ? WHERE id = ?");
  put.run(other.bytes, other.hash, other.events, one.id);
  put.run(one.bytes, one.hash, one.events, other.id);
}

function changeBatch(db: DatabaseSync, withHash: boolean): void {
  const { id, hash, bytes } = rows(db).find((row) => text(row.bytes).includes("paid 2")) as Row;
  const changed = Buffer.from(text(bytes).replace("paid 2", "paid 9"));
  db.prepare("UPDATE batches SET bytes = ?, hash = ? WHERE id = ?").run(
    changed,
    withHash ? sha256(changed) : hash,
    id,
  );
}

/** The fifteen ways of the review, and two of the index. `verify` finds all but the last ones, which a checkpoint finds. */
const FOUND: Readonly<Record<string, (db: DatabaseSync, folder: string) => void>> = {
  "bytes of one batch": (db) => changeBatch(db, false),
  "bytes and hash of one batch": (db) => changeBatch(db, true),
  "a batch in the middle removed": (db) => void db.exec(`DELETE FROM batches WHERE id = ${at(db, 4).id}`),
  "the last batch removed": (db) => void db.exec(`DELETE FROM batches WHERE id = ${at(db, -1).id}`),
  "the end cut everywhere in the database": cutTail,
  "batches of two sessions swapped": swap,
  "a session renamed": (db) => void db.exec("UPDATE sessions SET name = 'other' WHERE id = 1"),
  "calls, times and state of a session": (db) =>
    void db.exec("UPDATE sessions SET calls = 0, opened_at = 1, active_at = 1, is_closed = 0 WHERE id = 1"),
  "only the time of the last event": (db) => void db.exec("UPDATE sessions SET active_at = 1 WHERE id = 1"),
  "the index of turns dropped": (db) => void db.exec("DELETE FROM turns WHERE session = 1"),
  "a turn added to the index": (db) => void db.exec("INSERT INTO turns VALUES (1, 'order-17', 0)"),
  "the index of what applies dropped": (db) => void db.exec("DELETE FROM standing_events WHERE session = 1"),
  "a request planted in the index": (db) =>
    void db.exec("INSERT INTO standing_events VALUES (1, 'approval-request', 't1/x', 2, 1)"),
  "an approval for a project planted": (db) =>
    void db.exec(`INSERT INTO approvals VALUES ('/shop', '${"f".repeat(64)}', '{}', 1)`),
  "an approval for a project changed": (db) => void db.exec("UPDATE approvals SET about = '{}'"),
  "an approval for a project removed": (db) => void db.exec("DELETE FROM approvals"),
  "a session cloned under another name": clone,
};

const FOUND_BY_CHECKPOINT: typeof FOUND = {
  "a whole session deleted, with its note": (db, folder) => {
    removeSession(db);
    rmSync(noteOf(folder, "s1"), { force: true });
  },
  "the whole chain built anew": rebuild,
  "the end cut, and its note removed": (db, folder) => {
    cutTail(db);
    rmSync(noteOf(folder, "s1"), { force: true });
  },
};

async function verdicts(folder: string, durability: Durability): Promise<readonly string[]> {
  await using store = openSqliteStore({ path: folder, durability });
  const found: string[] = [];
  for (const id of [STORE_RECORD, ...store.sessions().map(({ sessionId }) => sessionId)]) {
    const verdict = await store.verify(id);
    if (!verdict.intact) found.push(`${id}: ${verdict.diagnostic}`);
  }
  return found;
}

function changed(folder: string, change: (db: DatabaseSync, folder: string) => void): string {
  const copy = join(temporaryFolder(), "copy");
  execFileSync("cp", ["-a", folder, copy]);
  const db = new DatabaseSync(join(copy, "toolkeep.db"));
  change(db, copy);
  db.close();
  return copy;
}

describe.each(["full", "normal"] as const)("[platform B2] with %s durability", (durability) => {
  test("an untouched store is intact", async () => {
    expect(await verdicts(await filled(durability), durability)).toEqual([]);
  });

  test("verify finds every change that the store itself can show", async () => {
    const folder = await filled(durability);
    for (const [name, change] of Object.entries(FOUND))
      expect([name, await verdicts(changed(folder, change), durability)]).not.toEqual([name, []]);
  });

  test("a checkpoint finds what is left", async () => {
    const folder = await filled(durability);
    const before = openSqliteStore({ path: folder, durability });
    const kept = [{ checkpoint: checkpointOf(before, null) }];
    await before.close();
    const compared = async (copy: string) => {
      await using store = openSqliteStore({ path: copy, durability });
      const all = await compareCheckpoints(store, kept);
      return all.filter(({ state }) => state === "changed").map(({ sessionId }) => sessionId);
    };
    expect(await compared(folder)).toEqual([]);
    for (const [name, change] of Object.entries(FOUND_BY_CHECKPOINT))
      expect([name, await compared(changed(folder, change))]).toEqual([name, ["s1"]]);
    // Removing the note alone changes nothing that was recorded.
    const copy = changed(folder, (_, at) => rmSync(noteOf(at, "s1"), { force: true }));
    expect([await verdicts(copy, durability), await compared(copy)]).toEqual([[], []]);
  });
});

test("[platform A8] a turn whose rows were removed from the index does not run again", async () => {
  const folder = join(temporaryFolder(), "store");
  let ran = 0;
  const order = async () => {
    await using store = openSqliteStore({ path: folder });
    const tools = [
      pay(() => {
        ran += 1;
      }),
    ];
    const calls = [{ id: "c1", name: "pay", arguments: { n: 1 } }];
    try {
      const session = await createSession({ id: "s", store, tools, policy: ["allow payments.send *"] });
      const { results } = await session.run(calls, { id: "order-17" });
      await session.close();
      return results[0]?.ok;
    } catch (error) {
      return String(error);
    }
  };
  expect([await order(), await order(), ran]).toEqual([true, true, 1]);
  const db = new DatabaseSync(join(folder, "toolkeep.db"));
  db.exec("DELETE FROM turns");
  db.close();
  expect(await order()).toMatch(/its index does not agree with its events/);
  expect(ran).toBe(1);
});
