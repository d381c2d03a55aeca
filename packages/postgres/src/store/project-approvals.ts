import type { ProjectApprovals, RememberedApproval, StoredApproval } from "@toolkeep/core/policy";
import type { Database } from "../database/database.ts";
import { UNTOUCHED } from "./session-write.ts";
import { appendToRecord } from "./store-record.ts";

const HAS = "SELECT FROM @.approvals WHERE project = $1 AND entry = $2";
const ADD = `INSERT INTO @.approvals (project, entry, about, added_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (project, entry) DO NOTHING RETURNING entry`;
const LIST =
  'SELECT entry, about, added_at AS "addedAt" FROM @.approvals WHERE project = $1 ORDER BY added_at, entry';
const FORGET =
  "DELETE FROM @.approvals WHERE project = $1 AND ($2::text IS NULL OR entry = $2) RETURNING entry";

/** The approvals of a project. Shared by every process that opens the store, and recorded by it. */
export class StoredApprovals implements ProjectApprovals {
  readonly #database: Database;
  readonly #project: string;

  constructor(database: Database, project: string) {
    this.#database = database;
    this.#project = project;
  }

  async has(entry: string): Promise<boolean> {
    return (await this.#database.query(HAS, [this.#project, entry])).length > 0;
  }

  /** Durable when it resolves. */
  async add(entry: string, about: RememberedApproval): Promise<void> {
    const [project, database] = [this.#project, this.#database];
    await database.inTransaction(async (client) => {
      await database.run(client, UNTOUCHED);
      const values = [project, entry, JSON.stringify(about), Date.now()];
      const added = await database.run(client, ADD, values);
      if (added.length > 0)
        await appendToRecord(database, client, [{ type: "project-approval", project, entry, about }]);
    });
  }

  /** Oldest first. */
  async list(): Promise<readonly StoredApproval[]> {
    type Row = { readonly entry: string; readonly about: string; readonly addedAt: number };
    const rows = await this.#database.query<Row>(LIST, [this.#project]);
    return rows.map(({ entry, about, addedAt }) => ({
      ...(JSON.parse(about) as RememberedApproval),
      entry,
      addedAt,
    }));
  }

  /** Forgets one approval, or all of the project: the next such call asks again. */
  async forget(entry?: string): Promise<void> {
    const [project, database] = [this.#project, this.#database];
    await database.inTransaction(async (client) => {
      await database.run(client, UNTOUCHED);
      const gone = await database.run<{ readonly entry: string }>(client, FORGET, [project, entry ?? null]);
      const entries = gone.map(
        (one) => ({ type: "project-approval", project, entry: one.entry, isRevoked: true }) as const,
      );
      await appendToRecord(database, client, entries);
    });
  }
}
