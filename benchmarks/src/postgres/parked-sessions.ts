import { createSession } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import type { PostgresStore } from "@toolkeep/postgres";
import pg from "pg";

const { tool } = stubTool("asked", (args) => args, { idempotent: false });
const policy = [{ permission: "asked", action: "ask" }] as const;

/** Parks a call of a session, as an application does. */
export async function park(store: PostgresStore, id: string): Promise<void> {
  const session = await createSession({
    id,
    store,
    tools: [tool],
    policy,
    approver: scriptedApprover("later"),
  });
  await session.run([{ id: "1", name: "asked", arguments: { path: "/data/report.txt" } }], { id: "turn" });
  await session.leave();
}

/** Answers the request of a parked session and finishes its turn. */
export async function answerAndResume(store: PostgresStore, id: string): Promise<void> {
  await store.answer({ sessionId: id, id: "turn/1" }, { verdict: "once" });
  const session = await createSession({ id, store, tools: [tool], policy });
  const { results } = await session.resume("turn");
  if (results[0]?.ok !== true) throw new Error("the call did not run");
  await session.leave();
}

/** Copies the rows of a parked session until the database has so many. */
export async function copyParked(url: string, schema: string, name: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE TEMP TABLE copied AS SELECT n, 'copy-' || n AS name FROM generate_series(1, ${count}) n;
    INSERT INTO ${schema}.sessions (name, period, opened_at, active_at, next_seq, last_turn, calls, head)
      SELECT c.name, s.period, s.opened_at, s.active_at, s.next_seq, s.last_turn, s.calls, s.head
      FROM copied c, ${schema}.sessions s WHERE s.name = '${name}';
    INSERT INTO ${schema}.batches (period, session, first_seq, events, hash, turns, bytes)
      SELECT b.period, n.id, b.first_seq, b.events, b.hash, b.turns, b.bytes
      FROM ${schema}.batches b, copied c JOIN ${schema}.sessions n USING (name)
      WHERE b.session = (SELECT id FROM ${schema}.sessions WHERE name = '${name}');
    INSERT INTO ${schema}.standing_events (session, type, key, seq, first_seq, waiting)
      SELECT n.id, e.type, e.key, e.seq, e.first_seq, e.waiting
      FROM ${schema}.standing_events e, copied c JOIN ${schema}.sessions n USING (name)
      WHERE e.session = (SELECT id FROM ${schema}.sessions WHERE name = '${name}');
    INSERT INTO ${schema}.requests (session, key, seq, name, id, needs, asked_at, expires_at, request)
      SELECT n.id, r.key, r.seq, n.name, r.id, r.needs, r.asked_at, r.expires_at, r.request
      FROM ${schema}.requests r, copied c JOIN ${schema}.sessions n USING (name) WHERE r.name = '${name}';
    ANALYZE`);
  await client.end();
}
