import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CHAIN_START, type JournalEntry, OpenBatch } from "@toolkeep/core/journal";
import type { BatchWriter } from "./batches.ts";
import { inTransaction } from "./database.ts";
import type { HeadNote } from "./head-note.ts";
import { type EventDatabase, readEvents } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";
import { STORE_RECORD } from "./session-rows.ts";

/**
 * The record of the store itself, chained as those of sessions are: which sessions were removed, and which approvals
 * projects have. No session can have its name. Every process adds to it, within a transaction.
 */
export class StoreRecord {
  readonly #database: EventDatabase;
  readonly #writer: BatchWriter;
  readonly #headNote: HeadNote;
  readonly #insert: StatementSync;
  readonly #approvals: StatementSync;

  constructor(database: EventDatabase, writer: BatchWriter, headNote: HeadNote) {
    this.#database = database;
    this.#writer = writer;
    this.#headNote = headNote;
    this.#insert = database.db.prepare(
      "INSERT INTO sessions (name, opened_at, active_at, head) VALUES (?, 0, 0, ?)",
    );
    this.#approvals = database.db.prepare("SELECT project, entry, about FROM approvals");
  }

  /** Adds an event to the record if `change` changes something, in one transaction with it. */
  add(entry: JournalEntry, change: (db: DatabaseSync) => boolean): void {
    const isChanged = inTransaction(this.#database.db, () => {
      const changed = change(this.#database.db);
      if (changed) this.append(entry);
      return changed;
    });
    if (isChanged) this.note();
  }

  /** Within a transaction. Call `note` after it. */
  append(entry: JournalEntry): void {
    const row = this.#row() ?? this.#created();
    const batch = new OpenBatch({ nextSeq: row.nextSeq, lastTurn: row.lastTurn });
    batch.append(row.nextSeq, Date.now(), "", entry);
    this.#writer.add(batch, { ...row, owner: null });
  }

  /** Notes where the record ends. */
  note(): void {
    const row = this.#row();
    if (row !== undefined) this.#headNote.write(row);
    this.#headNote.close();
  }

  /** Whether the approvals of projects are those that were recorded. */
  approvalsError(): string | undefined {
    const recorded = this.#recordedApprovals();
    const kept = this.#approvals.all() as unknown as readonly KeptApproval[];
    const foreign = kept.find((one) => recorded.get(keyOf(one)) !== one.about);
    if (foreign !== undefined)
      return `an approval for the project ${JSON.stringify(foreign.project)} was not given here: ${foreign.entry}`;
    return recorded.size === kept.length ? undefined : "approvals of projects are missing";
  }

  #recordedApprovals(): ReadonlyMap<string, string> {
    const recorded = new Map<string, string>();
    const row = this.#row();
    if (row === undefined) return recorded;
    for (const event of readEvents(this.#database, row, { types: ["project-approval"] })) {
      if (event.type !== "project-approval") continue;
      if (event.isRevoked === true) recorded.delete(keyOf(event));
      else recorded.set(keyOf(event), JSON.stringify(event.about));
    }
    return recorded;
  }

  #row(): SessionRow | undefined {
    return this.#database.sessions.byName(STORE_RECORD);
  }

  #created(): SessionRow {
    this.#insert.run(STORE_RECORD, CHAIN_START);
    return this.#row() as SessionRow;
  }
}

interface KeptApproval {
  readonly project: string;
  readonly entry: string;
  readonly about: string;
}

function keyOf({ project, entry }: Pick<KeptApproval, "project" | "entry">): string {
  return JSON.stringify([project, entry]);
}
