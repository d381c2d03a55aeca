import type { AuthorizedCall } from "../contract/call.ts";
import type { LockTicket } from "../locks/effect-locks.ts";
import { lockKeys } from "../locks/lock-keys.ts";
import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** A place among the calls that touch the same. Calls take their places in the order the model made them. */
export function queue(call: AuthorizedCall, turn: Turn): QueuedCall {
  return inPlace(call, turn.runtime.locks.request(lockKeys(call.effects), turn.inside?.place));
}

/** The arguments changed, and with them what the call touches. */
export function requeue(call: AuthorizedCall, place: LockTicket): QueuedCall {
  place.move(lockKeys(call.effects));
  return inPlace(call, place);
}

function inPlace(call: AuthorizedCall, place: LockTicket): QueuedCall {
  const { id, request, found, args, argsText, effects, decision, taint } = call;
  const base = { id, request, found, args, argsText, effects, decision, place };
  return (taint === undefined ? base : { ...base, taint }) as QueuedCall;
}
