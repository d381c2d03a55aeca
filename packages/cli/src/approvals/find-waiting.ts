import type { WaitingRequest } from "@toolkeep/node";
import { CommandFault, EXIT } from "../terminal/command-fault.ts";

const SHORTEST = 4;

/** The name a person uses for a request: its id, and the session before it where two have the same id. */
export function waitingName({ sessionId, request }: WaitingRequest, all: readonly WaitingRequest[]): string {
  const isUnique = all.filter((other) => other.request.id === request.id).length === 1;
  return isUnique ? request.id : `${sessionId}:${request.id}`;
}

/**
 * The one request that somebody means by an id, which may be shortened as long as it stays the only one.
 * @throws CommandFault where none or several are meant.
 */
export function findWaiting(id: string, all: readonly WaitingRequest[]): WaitingRequest {
  const names = all.map((one) => ({ one, names: [one.request.id, `${one.sessionId}:${one.request.id}`] }));
  const exact = names.filter((entry) => entry.names.includes(id));
  const meant =
    exact.length > 0 || id.length < SHORTEST
      ? exact
      : names.filter((entry) => entry.names.some((name) => name.startsWith(id)));
  const [found, ...others] = meant.map(({ one }) => one);
  if (found !== undefined && others.length === 0) return found;
  if (found === undefined) {
    throw new CommandFault(`Nothing waits under the id ${JSON.stringify(id)}.`, {
      hint: "`toolkeep approvals` lists what waits. An answer that was given, or a time that is over, ends the wait.",
    });
  }
  const list = [found, ...others].map((one) => `${one.sessionId}:${one.request.id}`).join("\n  ");
  throw new CommandFault(`${JSON.stringify(id)} means several that wait:\n  ${list}`, {
    exit: EXIT.usage,
    hint: "Write more of the one you mean.",
  });
}
