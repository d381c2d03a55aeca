import { ToolFailure } from "@toolkeep/core";
import type { Connection } from "../connection/connection.ts";

const LONGEST_REASON = 500;

/**
 * The connection to call on.
 * @throws ToolFailure `unavailable` while it is known that nobody would answer: since when, why, and what comes next.
 */
export function reachable(connection: Connection): Connection {
  const { state, since, reason, nextAttemptAt } = connection.status;
  if (state === "ready" || state === "connecting") return connection;
  const why = reason === undefined ? "" : `: ${reason.slice(0, LONGEST_REASON).replace(/\.$/, "")}`;
  const message = `The MCP server ${JSON.stringify(connection.name)} has not been reachable since ${atTime(since)}${why}.`;
  if (state === "waiting") {
    const next = nextAttemptAt === undefined ? "soon" : `at ${atTime(nextAttemptAt)}`;
    throw new ToolFailure("unavailable", message, {
      hint: `It is tried again ${next}. Go on without it until then.`,
      transient: true,
    });
  }
  throw new ToolFailure("unavailable", message, { hint: "It is not tried again. Tell the person." });
}

function atTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
