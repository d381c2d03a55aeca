import { parseArgs } from "node:util";
import pg from "pg";
import { Database } from "../packages/postgres/src/database/database.ts";
import { SCHEMA_VERSION } from "../packages/postgres/src/schema/migrate.ts";
import { type PostgresStatus, readStatus } from "../packages/postgres/src/store/store-status.ts";

/*
 * Says what a database holds, and changes nothing in it:
 * npm run postgres:status -- --url postgres://localhost/agents [--schema NAME] [--json]
 */
const USAGE = "npm run postgres:status -- --url postgres://localhost/agents [--schema NAME] [--json]";
const FOUND_NONE = 1;
const WRONG_USE = 2;
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

const flags = readFlags();
const pool = new pg.Pool({
  connectionString: flags.url,
  max: 1,
  connectionTimeoutMillis: 10_000,
  options: "-c default_transaction_read_only=on",
});
pool.on("error", () => undefined);
try {
  const database = new Database({ pool, schema: flags.schema, patienceMs: 1 });
  const obstacle = obstacleOf(await versionIn(database));
  if (obstacle !== undefined) end(obstacle, FOUND_NONE);
  else {
    const status = await readStatus(database);
    console.log(flags.json ? JSON.stringify(status) : linesOf(status).join("\n"));
  }
} catch (error) {
  end(`The database cannot be read: ${error instanceof Error ? error.message : error}.`, WRONG_USE);
} finally {
  await pool.end();
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: "string", default: process.env["DATABASE_URL"] ?? "" },
        schema: { type: "string", default: "toolkeep" },
        json: { type: "boolean", default: false },
      },
    });
    if (values.url === "") throw new Error("Name the database, here or in DATABASE_URL.");
    return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(WRONG_USE);
  }
}

function end(message: string, code: number): void {
  console.error(message);
  process.exitCode = code;
}

async function versionIn(database: Database): Promise<number | undefined> {
  const there = await database.query<{ readonly at: string | null }>(
    "SELECT to_regclass('@.migrations')::text AS at",
  );
  if (there[0]?.at === null) return undefined;
  const [found] = await database.query<{ readonly version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM @.migrations",
  );
  return found?.version;
}

function obstacleOf(version: number | undefined): string | undefined {
  if (version === undefined)
    return `There is no store in the schema ${flags.schema}. Name another one with --schema; a store is created by the first process that opens it.`;
  if (version === SCHEMA_VERSION) return undefined;
  const known = `The schema ${flags.schema} has version ${version}, and this checkout reads ${SCHEMA_VERSION}.`;
  return version < SCHEMA_VERSION
    ? `${known} The first process that opens the store with this release brings it to that.`
    : `${known} Use a newer one.`;
}

function linesOf(status: PostgresStatus): readonly string[] {
  const keys = Object.entries(status.pendingArguments).map(([key, count]) => `${count} under the key ${key}`);
  const oldest =
    status.oldestRequestAt === undefined ? "" : `, the oldest since ${timeOf(status.oldestRequestAt)}`;
  const released =
    status.releasedOutputs === 0 ? "" : `; ${status.releasedOutputs} more to remove with the next sweep`;
  const rows: readonly (readonly [string, string])[] = [
    ["schema", `${flags.schema}, version ${status.schemaVersion}`],
    ["sessions", `${status.sessions}, ${status.sessionsInUse} of them open in a process`],
    ["unfinished turns", String(status.unfinishedTurns)],
    ["waiting requests", `${status.waiting}${oldest}`],
    ["raw arguments", keys.join(", ") || "0"],
    ["left for sessions", `${status.untaken} answers, messages and cancellations that none has taken`],
    ["project approvals", String(status.projectApprovals)],
    ["large outputs", `${status.outputs}, ${sizeOf(status.outputBytes)} outside of the database${released}`],
    ...status.periods.map(
      ({ period, sessions, bytes }) =>
        [`created ${monthOf(period)}`, `${sessions} sessions, ${sizeOf(bytes)} of events`] as const,
    ),
    ["on disk", sizeOf(status.bytes)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function monthOf(period: number): string {
  return `${Math.floor(period / 100)}-${String(period % 100).padStart(2, "0")}`;
}

function sizeOf(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1_000 ** power).toFixed(1)} ${UNITS[power]}`;
}
