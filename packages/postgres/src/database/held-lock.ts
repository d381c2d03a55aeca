import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { Database } from "./database.ts";

const HOLDERS = `SELECT l.pid, a.usename AS role, a.application_name AS program
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.classid = @lock_class AND l.objid = $1::bigint AND l.objsubid = 2 AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

interface Holder {
  readonly pid: number;
  readonly role: string | null;
  readonly program: string | null;
}

/** The error for a lock that another connection holds for too long: who that is, and what to do. */
export async function heldLock(database: Database, id: number): Promise<ToolkeepError> {
  const [holder] = await database.query<Holder>(HOLDERS, [id]).catch(() => []);
  const who =
    holder === undefined
      ? "another connection"
      : `the role ${JSON.stringify(holder.role ?? "unknown")} (process ${holder.pid} of the database server, ${JSON.stringify(holder.program ?? "")})`;
  const end = holder === undefined ? "" : ` End it with \`SELECT pg_terminate_backend(${holder.pid})\`.`;
  return invalidOption(
    `The store cannot be opened: ${who} holds a lock of it.${end} Give the store a database to which no other role can connect.`,
  );
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === "55P03";
}
