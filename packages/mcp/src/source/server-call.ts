import { ToolFailure } from "@toolkeep/core";
import type { Connection } from "../connection/news/connection.ts";

/**
 * The connection to call on.
 * @throws ToolFailure `unavailable` while the server is known to be unreachable: since when, and when the next attempt
 * is. The cause is for users only: it may quote the output of a program, which a model would read.
 */
export function reachable(connection: Connection): Connection {
  const { state, since, nextAttemptAt } = connection.status;
  if (state === "ready" || state === "connecting") return connection;
  const message = `The MCP server ${JSON.stringify(connection.name)} has not been reachable since ${atTime(since)}.`;
  if (state === "waiting") {
    const next = nextAttemptAt === undefined ? "soon" : `at ${atTime(nextAttemptAt)}`;
    throw new ToolFailure("unavailable", message, {
      hint: `The next attempt is ${next}. Continue without it until then.`,
      transient: true,
    });
  }
  throw new ToolFailure("unavailable", message, {
    hint: "It will not be retried. Tell the user: its status says why.",
  });
}

function atTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
