import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ApprovalRequest } from "@toolkeep/core";
import type { JournalEvent } from "@toolkeep/core/journal";
import { openSqliteStore } from "@toolkeep/sqlite";
import type { AttackWorld } from "./attack-world.ts";
import type { Attack } from "./attacks.ts";

const ONCE = { verdict: "once", by: "alice@example.com, bob@example.com" } as const;

/** Folders for the store as it was, and for the one that an attacker writes. */
async function withFolders(run: (was: string, forged: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-planted-"));
  try {
    await run(join(folder, "was"), join(folder, "forged"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Change = (event: JournalEvent) => readonly JournalEvent[];

/** Builds the session anew in another store, with a chain that is whole: what a process that writes to the files can do. */
async function rebuilt(
  from: string,
  to: string,
  { turn, change }: { readonly turn: string; readonly change: Change },
): Promise<void> {
  await using was = openSqliteStore({ path: from });
  await using forged = openSqliteStore({ path: to });
  const old = await was.open("s1");
  const journal = await forged.open("s1");
  let next = 0;
  for await (const event of old.read())
    for (const { seq: _, at, turn: of, ...entry } of change(event)) {
      journal.append(next, at, of, entry);
      next += 1;
    }
  await journal.flush();
  await journal.release();
  await old.release();
  for (const key of [`s1/${turn}`, `s1/${turn}/c1`])
    await forged.pending.put(key, (await was.pending.get(key)) ?? "");
}

async function resumed(world: AttackWorld, path: string, turn: string): Promise<void> {
  await using store = openSqliteStore({ path });
  const session = await world.session({ store });
  await session.resume(turn);
  await session.close();
}

/** A payment waits in a store on disk, and its request. */
async function parkedIn(world: AttackWorld, path: string, to: string): Promise<ApprovalRequest> {
  await using store = openSqliteStore({ path });
  const { session, request } = await world.waiting({ store }, { to });
  await session.close();
  return request;
}

function answered(request: ApprovalRequest, answer: object): Change {
  return (event) =>
    event.type === "approval-request" ? [{ ...event, request }, answerAfter(event, answer)] : [event];
}

function answerAfter({ seq, at, turn }: JournalEvent, answer: object): JournalEvent {
  return { seq, at, turn, type: "approval-answer", id: "c1", answer } as JournalEvent;
}

/** Attacks by a process that can write to the file of a store. */
export const PLANTED_ROWS: readonly Attack[] = [
  {
    name: "an unsigned answer in a record that was built anew",
    control: "plain rule",
    run: (world) =>
      withFolders(async (was, forged) => {
        const request = await parkedIn(world, was, "acme");
        await rebuilt(was, forged, { turn: "t1", change: answered(request, ONCE) });
        await resumed(world, forged, "t1");
      }),
  },
  {
    name: "other lines in the file than the call has, which two people then sign",
    control: "unchecked",
    run: (world) =>
      withFolders(async (was, forged) => {
        const request = await parkedIn(world, was, "mallory");
        const lines = request.lines.map((line) => line.replaceAll("mallory", "acme"));
        const shown = { ...request, lines };
        const signed = [await world.signed(shown, "alice"), await world.signed(shown, "bob")];
        await rebuilt(was, forged, { turn: "t1", change: answered(shown, { ...ONCE, signed }) });
        await resumed(world, forged, "t1");
      }),
  },
  {
    name: "a request that was signed, planted again in a later turn",
    control: "unchecked",
    run: (world) =>
      withFolders(async (was, forged) => {
        const first = await twoTurnsIn(world, was);
        const signed = [await world.signed(first, "alice"), await world.signed(first, "bob")];
        // The digest of the call that waits is known from its own request.
        const plant: Change = (event) => {
          const own = event.type === "approval-request" ? { binding: event.request.binding } : {};
          return answered({ ...first, ...own }, { ...ONCE, signed })(event);
        };
        const change: Change = (event) => (event.turn === "t2" ? plant(event) : [event]);
        await rebuilt(was, forged, { turn: "t2", change });
        await resumed(world, forged, "t2");
      }),
  },
];

/** The same payment in two turns: the first one is made as it should be, the second one waits. */
async function twoTurnsIn(world: AttackWorld, path: string): Promise<ApprovalRequest> {
  await using store = openSqliteStore({ path });
  const { session, request } = await world.waiting({ store });
  await world.finish(
    session,
    request,
    await world.signed(request, "alice"),
    await world.signed(request, "bob"),
  );
  if (world.paid.splice(0).length !== 1) throw new Error("The payment that was approved was not made.");
  await world.ask(session, "t2");
  await session.close();
  return request;
}

/** Adds a row without the chain, and gives what opening the session comes to. */
export function withRowInFile(world: AttackWorld): Promise<string> {
  let outcome = "";
  return withFolders(async (path) => {
    await parkedIn(world, path, "acme");
    const db = new DatabaseSync(join(path, "toolkeep.db"));
    db.exec(
      "INSERT INTO batches SELECT id + events, events, hash, bytes FROM batches ORDER BY id DESC LIMIT 1",
    );
    db.exec("UPDATE sessions SET next_seq = next_seq + 1");
    db.close();
    outcome = await resumed(world, path, "t1").then(
      () => "resumed",
      (error: { readonly code?: string }) => error.code ?? "failed",
    );
  }).then(() => outcome);
}
