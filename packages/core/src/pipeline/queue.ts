import type { AuthorizedCall } from "../contract/call.ts";
import type { LockTicket } from "../locks/effect-locks.ts";
import { lockKeys } from "../locks/lock-keys.ts";
import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Takes a lock ticket. Calls that touch the same take theirs in the order the model made them. */
export function queue(call: AuthorizedCall, turn: Turn): QueuedCall {
  return { ...call, lock: turn.runtime.locks.request(lockKeys(call.effects), turn.inside?.lock) };
}

/** Moves the ticket of a call whose arguments changed, and with them what it touches. */
export function requeue(call: AuthorizedCall, lock: LockTicket): QueuedCall {
  lock.move(lockKeys(call.effects));
  return { ...call, lock };
}
