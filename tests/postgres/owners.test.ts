import { hash, randomBytes } from "node:crypto";
import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { type RunningProgram, runProgram } from "../crash/run-program.ts";
import { newSchema } from "./test-schema.ts";
import { KEYS, POSTGRES_URL, testStores } from "./test-stores.ts";

describe.skipIf(POSTGRES_URL === "")("owners of sessions", () => {
  const openStore = testStores();
  const programs: RunningProgram[] = [];
  afterEach(async () => {
    for (const program of programs.splice(0)) {
      program.kill();
      await program.ended;
    }
  });

  async function heldElsewhere(termMs: number) {
    const schema = newSchema();
    const secret = randomBytes(32).toString("base64");
    const store = await openStore({ schema, keys: [{ id: "k", secret }] });
    const input = { url: POSTGRES_URL, schema, secret, termMs };
    const holder = runProgram("../postgres/hold-session.ts", input);
    programs.push(holder);
    await holder.saidLines(2);
    return { store, holder, schema };
  }

  test("locks that another role holds stop no store from opening; where one must be waited for, the error names its holder", async () => {
    const schema = newSchema();
    const first = await openStore({ schema, keys: KEYS });
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    try {
      const classOf = (name: string) => Number.parseInt(hash("sha256", `toolkeep ${name}`).slice(0, 7), 16);
      const hold = (name: string, id: number) =>
        client.query("SELECT pg_advisory_lock($1::int, $2::int)", [classOf(name), id]);
      const locked = await client.query<{ objid: string }>(
        "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::bigint",
        [classOf(schema)],
      );
      const last = Math.max(...locked.rows.map(({ objid }) => Number(objid)));
      await hold(schema, 0);
      for (let id = 1; id <= 50; id += 1) await hold(schema, Math.min(last + id, 2 ** 31 - 1));
      const second = await openStore({ schema, keys: KEYS });
      expect(await second.unfinished(10)).toEqual(await first.unfinished(10));
      const fresh = newSchema();
      await hold(fresh, 0);
      const { rows } = await client.query<{ pid: number; role: string }>(
        "SELECT pg_backend_pid() AS pid, current_user AS role",
      );
      const opening = openPostgresStore({ url: POSTGRES_URL, schema: fresh, keys: KEYS, patienceMs: 300 });
      await expect(opening).rejects.toMatchObject({
        code: "invalid_option",
        message: expect.stringContaining(`"${rows[0]?.role}" (process ${rows[0]?.pid}`),
      });
    } finally {
      await client.end();
    }
  });

  test("the session of a process that was killed is free at once, and its turn can be resumed", async () => {
    const { store, holder } = await heldElsewhere(60_000);
    await expect(store.open("s")).rejects.toMatchObject({ code: "session_in_use" });
    expect(await store.unfinished(10)).toEqual([]);
    holder.kill();
    await holder.ended;
    await expect.poll(() => store.unfinished(10)).toEqual([{ sessionId: "s", turn: "held" }]);
    const { tool } = stubTool("wait", () => ({}), { idempotent: false });
    await using session = await createSession({ id: "s", store, tools: [tool] });
    const { results } = await session.resume("held");
    expect(results.map((result) => result?.failure?.code)).toEqual(["outcome_unknown", "outcome_unknown"]);
  });

  test("a process that answers keeps its session past its term; one that is stopped loses it, and is fenced when it wakes", async () => {
    const { store, holder, schema } = await heldElsewhere(60_000);
    await using admin = await connected();
    const mine = `FROM ${schema}.owners WHERE label LIKE 'process ${holder.pid} on %'`;
    const answered = async () =>
      (await admin.query(`SELECT answered_at >= asked_at AS is ${mine}`)).rows[0].is;
    /** Lets two terms pass for what this process was asked and answered. */
    const pass = () =>
      admin.query(`UPDATE ${schema}.owners SET asked_at = asked_at - 2 * term, answered_at = answered_at - 2 * term
        WHERE id IN (SELECT id ${mine})`);
    await expect(store.open("s")).rejects.toMatchObject({ code: "session_in_use" });
    await expect.poll(answered).toBe(true);
    await pass();
    await expect(store.open("s")).rejects.toMatchObject({ code: "session_in_use" });
    await expect.poll(answered).toBe(true);
    process.kill(holder.pid, "SIGSTOP");
    await expect(store.open("s")).rejects.toMatchObject({ code: "session_in_use" });
    expect(await answered()).toBe(false);
    expect(await store.unfinished(10)).toEqual([]);
    await pass();
    expect(await store.unfinished(10)).toEqual([{ sessionId: "s", turn: "held" }]);
    const journal = await store.open("s", { unfinishedTurn: "held" });
    expect(holder.lines).not.toContain("stopped 1");
    process.kill(holder.pid, "SIGCONT");
    await holder.ended;
    expect(holder.lines).toEqual(expect.arrayContaining(["stopped 1", "stopped 2"]));
    expect(holder.lines).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(failed|left) session_lost$/)]),
    );
    const types = (await Array.fromAsync(journal.read())).map(({ type }) => type);
    expect(types).not.toContain("call-end");
    await journal.release();
    expect(await store.verify("s")).toMatchObject({ intact: true });
  });

  test("a store can be closed while the server still holds the lock of the connection before", async () => {
    const schema = newSchema();
    const store = await openPostgresStore({ url: POSTGRES_URL, schema, keys: KEYS });
    const lockClass = Number.parseInt(hash("sha256", `toolkeep ${schema}`).slice(0, 7), 16);
    await using blocker = await connected();
    await using admin = await connected();
    const found = await admin.query(`SELECT pid, objid FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND classid = ${lockClass} AND granted`);
    const { pid, objid } = found.rows[0];
    const blocked = blocker.query(`SELECT pg_advisory_lock(${lockClass}, ${objid})`);
    const waits = `SELECT FROM pg_locks WHERE classid = ${lockClass} AND NOT granted`;
    await expect.poll(async () => (await admin.query(waits)).rows.length).toBe(1);
    await admin.query(`SELECT pg_terminate_backend(${pid})`);
    await blocked;
    const trying = `SELECT FROM pg_stat_activity WHERE pid <> ${pid}
      AND query = 'SELECT pg_try_advisory_lock(${lockClass}, $1) AS locked'`;
    await expect.poll(async () => (await admin.query(trying)).rows.length).toBe(1);
    await store.close();
    expect((await admin.query(trying)).rows).toEqual([]);
  });

  test("a role that may not remove owners is told so, and nothing stays open", async () => {
    const schema = newSchema();
    await openStore({ schema });
    await using admin = await connected();
    await admin.query(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE insufficient_privilege USING MESSAGE = 'permission denied for table owners'; END $$`);
    await admin.query(`CREATE TRIGGER refuse BEFORE DELETE ON ${schema}.owners
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse()`);
    const opening = openPostgresStore({ url: POSTGRES_URL, schema, keys: KEYS });
    await expect(opening).rejects.toThrow("permission denied for table owners");
  });
});

/** A connection that no store has. */
async function connected() {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
