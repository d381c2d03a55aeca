import { ToolFailure } from "@toolkeep/core";
import type { Connection } from "../connection/connection.ts";

/**
 * The connection to call on.
 * @throws ToolFailure `unavailable` while it is known that nobody would answer: since when, and what comes next. Why,
 * is for people: the reason may hold the last words of a program, which a model would read.
 */
export function reachable(connection: Connection): Connection {
  const { state, since, nextAttemptAt } = connection.status;
  if (state === "ready" || state === "connecting") return connection;
  const message = `The MCP server ${JSON.stringify(connection.name)} has not been reachable since ${atTime(since)}.`;
  if (state === "waiting") {
    const next = nextAttemptAt === undefined ? "soon" : `at ${atTime(nextAttemptAt)}`;
    throw new ToolFailure("unavailable", message, {
      hint: `It is tried again ${next}. Go on without it until then.`,
      transient: true,
    });
  }
  throw new ToolFailure("unavailable", message, {
    hint: "It is not tried again. Tell the person: its status says why.",
  });
}

function atTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
