import { createSession } from "@toolkeep/core";
import type { JournalEntry, OpenJournal } from "@toolkeep/core/journal";
import { stubTool } from "@toolkeep/core/testing";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const LATE: JournalEntry = { type: "call-late", callId: "1", tool: "work" };

describe.skipIf(POSTGRES_URL === "")("the journal on PostgreSQL", () => {
  const openStore = testStores();

  function add(journal: OpenJournal): Promise<void> | undefined {
    const { nextSeq } = journal.extent() as { readonly nextSeq: number };
    journal.append(nextSeq, 1, "t1", LATE);
    return journal.flush();
  }

  test("flushes that overlap leave a chain in which every batch follows the one before", async () => {
    const store = await openStore();
    for (let round = 0; round < 10; round += 1) {
      const journal = await store.open(`s${round}`);
      let third: Promise<void> | undefined;
      const first = add(journal)?.then(() => {
        third = add(journal);
      });
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      const second = add(journal);
      await Promise.all([first, second]);
      await third;
      await journal.release();
      expect(await store.verify(`s${round}`)).toMatchObject({ intact: true });
      expect(await Array.fromAsync(store.events(`s${round}`))).toHaveLength(3);
    }
  });

  test("a writer whose next event is right and whose head is not writes nothing", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const journal = await store.open("s");
    await add(journal);
    await inDatabase((client) =>
      client.query(`UPDATE ${schema}.sessions SET head = repeat('f', 64) WHERE name = 's'`),
    );
    await expect(add(journal)).rejects.toMatchObject({ code: "session_lost" });
    expect(journal.lost.aborted).toBe(true);
    const { rows } = await inDatabase((client) => client.query(`SELECT first_seq FROM ${schema}.batches`));
    expect(rows).toHaveLength(1);
  });

  test("connections that break are replaced, and what was flushed meanwhile is there once", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const journals = await Promise.all(["a", "b", "c"].map((name) => store.open(name)));
    const flushing: (Promise<void> | undefined)[] = [];
    for (let round = 0; round < 40; round += 1) {
      flushing.push(...journals.map((journal) => add(journal)));
      if (round % 8 === 4)
        await inDatabase((client) =>
          client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid()",
            [`%"${schema}".%`],
          ),
        );
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await Promise.all(flushing);
    for (const journal of journals) await journal.release();
    for (const name of ["a", "b", "c"]) {
      expect(await store.verify(name)).toMatchObject({ intact: true });
      expect(await Array.fromAsync(store.events(name))).toHaveLength(40);
    }
  });

  test("sessions that flush at the same time share commits", async () => {
    const store = await openStore();
    const journals = await Promise.all(Array.from({ length: 20 }, (_, index) => store.open(`s${index}`)));
    const before = commitsOf(store);
    await Promise.all(journals.map((journal) => add(journal)));
    expect(commitsOf(store) - before).toBeLessThanOrEqual(2);
  });

  test("a session that cannot be written does not fail the others of its commit", async () => {
    const store = await openStore();
    const [good, bad] = [await store.open("good"), await store.open("bad")];
    const failing = (async () => {
      bad.append(0, 1, "null\0character", LATE);
      await bad.flush();
    })();
    await Promise.all([add(good), expect(failing).rejects.toMatchObject({ code: "journal_broken" })]);
    expect(await Array.fromAsync(good.read())).toHaveLength(1);
  });

  test("a session that was lost and closed can be opened again by the same process", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const { tool } = stubTool("work", () => "done", { idempotent: false });
    const lost = await createSession({ id: "s", store, tools: [tool] });
    await inDatabase((client) => client.query(`UPDATE ${schema}.sessions SET epoch = epoch + 1`));
    await expect(lost.call({ id: "1", name: "work", arguments: {} })).rejects.toMatchObject({
      code: "session_lost",
    });
    await lost.close().catch(() => undefined);
    await using session = await createSession({ id: "s", store, tools: [tool] });
    expect(await session.call({ id: "2", name: "work", arguments: {} })).toMatchObject({ ok: true });
  });

  test("a batch that was changed, an event that is missing and an index that lies are found", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const damages = {
      "its bytes were changed": `UPDATE ${schema}.batches SET bytes = overlay(bytes placing 'x' from 80)`,
      "its end is missing": `DELETE FROM ${schema}.batches WHERE first_seq = 1`,
      "its index does not agree": `UPDATE ${schema}.turns SET first_seq = 7`,
      "does not agree with its events": `UPDATE ${schema}.sessions SET calls = 7`,
    };
    for (const [diagnostic, damage] of Object.entries(damages)) {
      const name = `s ${diagnostic}`;
      const journal = await store.open(name);
      await add(journal);
      await add(journal);
      await journal.release();
      expect(await store.verify(name)).toMatchObject({ intact: true });
      const column = damage.includes(".sessions") ? "id" : "session";
      const where = `${column} = (SELECT id FROM ${schema}.sessions WHERE name = '${name}')`;
      await inDatabase((client) =>
        client.query(damage.includes("WHERE") ? `${damage} AND ${where}` : `${damage} WHERE ${where}`),
      );
      const verdict = await store.verify(name);
      expect(verdict).toMatchObject({ intact: false, diagnostic: expect.stringContaining(diagnostic) });
      if (damage.includes(".batches"))
        await expect(store.open(name)).rejects.toMatchObject({ code: "journal_broken" });
    }
  });
});

function commitsOf(store: object): number {
  return (store as { readonly writer: { readonly commits: number } }).writer.commits;
}

async function inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
