import type { WaitingRequest } from "@toolkeep/core";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** The end of a turn's name that nobody but us chose: what stands before it depends on what a model asks for. */
const RANDOM_PART = /-([0-9a-f]{8,})$/;

/** The name a person uses for a request: its id, and the session before it where two have the same id. */
export function waitingName({ sessionId, request }: WaitingRequest, all: readonly WaitingRequest[]): string {
  const isUnique = all.filter((other) => other.request.id === request.id).length === 1;
  return isUnique ? request.id : `${sessionId}:${request.id}`;
}

/**
 * The one request that somebody means by an id. It may be shortened to its first part, up to the first `/`, and of
 * that to the eight digits at its end: with fewer, a model could make up another call that goes by the same.
 * @throws CommandFault where none or several are meant.
 */
export function findWaiting(id: string, all: readonly WaitingRequest[]): WaitingRequest {
  const names = all.map((one) => ({ one, names: [one.request.id, `${one.sessionId}:${one.request.id}`] }));
  const exact = names.filter((entry) => entry.names.includes(id));
  const meant = exact.length > 0 ? exact : names.filter(({ one }) => isShortFor(id, one.request.id));
  const [found, ...others] = meant.map(({ one }) => one);
  if (found !== undefined && others.length === 0) return found;
  if (found === undefined) {
    throw new CommandError(`Nothing waits under the id ${JSON.stringify(id)}.`, {
      hint: `${tooShort(id, all)}\`toolkeep approvals\` lists what waits. An answer that was given, or a time that is over, ends the wait.`,
    });
  }
  const list = [found, ...others].map((one) => `${one.sessionId}:${one.request.id}`).join("\n  ");
  throw new CommandError(`${JSON.stringify(id)} means ${meant.length} that wait:\n  ${list}`, {
    exit: EXIT.usage,
    hint: "Write more of the one you mean.",
  });
}

/** How many may have been meant by an id that says too little. */
function tooShort(id: string, all: readonly WaitingRequest[]): string {
  const turns = all.map(({ request }) => request.id.split("/")[0] ?? "");
  const begun = turns.filter((turn) => turn.startsWith(id) || RANDOM_PART.exec(turn)?.[1]?.startsWith(id));
  if (id === "" || begun.length === 0) return "";
  return `It is too short; ${begun.length === 1 ? "one that waits begins" : `${begun.length} that wait begin`} with it. `;
}

function isShortFor(id: string, whole: string): boolean {
  const [turn = ""] = whole.split("/");
  if (id.length >= turn.length) return whole.startsWith(id);
  return RANDOM_PART.exec(turn)?.[1] === id;
}
