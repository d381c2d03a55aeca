import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { Database } from "../database/database.ts";
import { SCHEMA_1 } from "./schema-1.ts";
import { SCHEMA_2 } from "./schema-2.ts";
import { SCHEMA_3 } from "./schema-3.ts";
import { SCHEMA_4 } from "./schema-4.ts";

/** The steps from each version of the schema to the next. Released steps never change. */
const STEPS: readonly (readonly string[])[] = [SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4];

/** The version of the schema that this release writes. */
export const SCHEMA_VERSION = STEPS.length;

/**
 * Brings the schema to the newest version. Several processes may do so at once; one does it, and the others wait.
 * @throws ToolkeepError `invalid_option` for a schema that is newer than this release.
 */
export async function migrate(database: Database, upTo: number = SCHEMA_VERSION): Promise<void> {
  await database.inTransaction(async (client) => {
    const run = (text: string) => client.query({ text: database.statement(text).text });
    if (upTo === SCHEMA_VERSION && (await isNewest(run))) return;
    await run("SELECT pg_advisory_xact_lock(@lock_class, 0)");
    const { rows } = await run(`SELECT
      current_setting('server_encoding') AS encoding, to_regclass('@.migrations') IS NOT NULL AS "isThere"`);
    const [found] = rows as readonly { readonly encoding: string; readonly isThere: boolean }[];
    if (found?.encoding !== "UTF8")
      throw unusable(`its encoding is ${found?.encoding}. Create one with UTF8`);
    // A user who may not create schemas can use one that an administrator created.
    if (!found.isThere) await createFirst(database, run);
    const version = await versionIn(run);
    if (version > STEPS.length)
      throw unusable(
        `its schema "${database.schema}" has version ${version}, and this release knows ${STEPS.length}. Upgrade @toolkeep/postgres`,
      );
    for (const [index, step] of STEPS.slice(0, upTo).entries()) {
      if (index < version) continue;
      for (const text of step) await run(text);
      await run(`INSERT INTO @.migrations (version) VALUES (${index + 1})`);
    }
    if (upTo > 0) await run("SELECT @.keep_partitions()");
  });
}

type Run = (text: string) => Promise<{ readonly rows: readonly unknown[] }>;

/** Most processes find everything done, and need no lock for that. */
async function isNewest(run: Run): Promise<boolean> {
  const { rows } = await run(`SELECT to_regclass('@.migrations') IS NOT NULL AS "isThere"`);
  const [found] = rows as readonly { readonly isThere: boolean }[];
  if (found?.isThere !== true || (await versionIn(run)) !== SCHEMA_VERSION) return false;
  await run("SELECT @.keep_partitions()");
  return true;
}

async function createFirst({ schema }: Database, run: Run): Promise<void> {
  const { rows } = await run(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`);
  if (rows.length === 0) await run(`CREATE SCHEMA "${schema}"`);
  await run(
    "CREATE TABLE @.migrations (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
  );
}

async function versionIn(run: Run): Promise<number> {
  const { rows } = await run("SELECT coalesce(max(version), 0) AS version FROM @.migrations");
  return (rows as readonly { readonly version: number }[])[0]?.version ?? 0;
}

function unusable(why: string): ToolkeepError {
  return invalidOption(`The database cannot be used: ${why}. Nothing was changed.`);
}
