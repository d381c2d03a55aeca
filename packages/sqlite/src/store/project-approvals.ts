import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ProjectApprovals, RememberedApproval } from "@toolkeep/core/policy";

/** An approval that was remembered for a project. */
export interface StoredApproval extends RememberedApproval {
  /** Identifies it: a fingerprint. */
  readonly entry: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** The approvals of a project. Shared by every process that opens the store. */
export class StoredApprovals implements ProjectApprovals {
  readonly #project: string;
  readonly #has: StatementSync;
  readonly #add: StatementSync;
  readonly #list: StatementSync;
  readonly #forget: StatementSync;
  readonly #forgetAll: StatementSync;

  constructor(db: DatabaseSync, project: string) {
    this.#project = project;
    this.#has = db.prepare("SELECT 1 FROM approvals WHERE project = ? AND entry = ?");
    this.#add = db.prepare(
      "INSERT OR IGNORE INTO approvals (project, entry, about, added_at) VALUES (?, ?, ?, ?)",
    );
    this.#list = db.prepare(
      "SELECT entry, about, added_at AS addedAt FROM approvals WHERE project = ? ORDER BY added_at, entry",
    );
    this.#forget = db.prepare("DELETE FROM approvals WHERE project = ? AND entry = ?");
    this.#forgetAll = db.prepare("DELETE FROM approvals WHERE project = ?");
  }

  has(entry: string): boolean {
    return this.#has.get(this.#project, entry) !== undefined;
  }

  /** Durable when it returns. */
  add(entry: string, about: RememberedApproval): void {
    this.#add.run(this.#project, entry, JSON.stringify(about), Date.now());
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
    if (entry === undefined) this.#forgetAll.run(this.#project);
    else this.#forget.run(this.#project, entry);
  }
}
