import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ProjectApprovals, RememberedApproval, StoredApproval } from "@toolkeep/core/policy";
import type { StoreRecord } from "./store-record.ts";

/** The approvals of a project. Shared by every process that opens the store, and recorded by it. */
export class StoredApprovals implements ProjectApprovals {
  readonly #project: string;
  readonly #record: StoreRecord;
  readonly #has: StatementSync;
  readonly #add: StatementSync;
  readonly #list: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: DatabaseSync, project: string, record: StoreRecord) {
    this.#project = project;
    this.#record = record;
    this.#has = db.prepare("SELECT 1 FROM approvals WHERE project = ? AND entry = ?");
    this.#add = db.prepare(
      "INSERT OR IGNORE INTO approvals (project, entry, about, added_at) VALUES (?, ?, ?, ?)",
    );
    this.#list = db.prepare(
      "SELECT entry, about, added_at AS addedAt FROM approvals WHERE project = ? ORDER BY added_at, entry",
    );
    this.#forget = db.prepare("DELETE FROM approvals WHERE project = ? AND entry = ?");
  }

  has(entry: string): boolean {
    return this.#has.get(this.#project, entry) !== undefined;
  }

  /** Durable when it returns. */
  add(entry: string, about: RememberedApproval): void {
    const project = this.#project;
    this.#record.add(
      { type: "project-approval", project, entry, about },
      () => this.#add.run(project, entry, JSON.stringify(about), Date.now()).changes > 0,
    );
  }

  /** Oldest first. */
  list(): readonly StoredApproval[] {
    return this.#list.all(this.#project).map(({ entry, about, addedAt }) => ({
      ...(JSON.parse(String(about)) as RememberedApproval),
      entry: String(entry),
      addedAt: Number(addedAt),
    }));
  }

  /** Forgets one approval, or all of the project: the next such call asks again. */
  forget(entry?: string): void {
    const project = this.#project;
    const forgotten = entry === undefined ? this.list().map((one) => one.entry) : [entry];
    for (const one of forgotten)
      this.#record.add(
        { type: "project-approval", project, entry: one, isRevoked: true },
        () => this.#forget.run(project, one).changes > 0,
      );
  }
}
