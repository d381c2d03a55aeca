import type { AuthorizedCall } from "../../contract/stages/call.ts";
import type { LockKey, LockTicket } from "../../locks/effect-locks.ts";
import { lockKeys, sharedNames } from "../../locks/lock-keys.ts";
import type { QueuedCall } from "../turn/stage.ts";
import type { Turn } from "../turn/turn.ts";

/** Takes a lock ticket. Calls that touch the same take theirs in the order the model made them. */
export function queue(call: AuthorizedCall, turn: Turn): QueuedCall {
  const shared = sharedBy(call, turn);
  const keys = keysOf(call, shared);
  return { ...call, shared, lock: turn.runtime.locks.request(keys, turn.inside?.lock) };
}

/** Moves the ticket of a call whose arguments changed, and with them what it touches. */
export function requeue(call: AuthorizedCall, lock: LockTicket, turn: Turn): QueuedCall {
  const shared = sharedBy(call, turn);
  lock.move(keysOf(call, shared));
  return { ...call, shared, lock };
}

/** What the call needs among all sessions; `undefined` for nothing. */
function sharedBy({ found, effects }: AuthorizedCall, { runtime }: Turn): readonly string[] | undefined {
  const { locks: own } = found.tool;
  const { capabilities } = runtime.locking;
  if (own === undefined && capabilities.length === 0) return undefined;
  const roots = runtime.scope.variables.workspace ?? [];
  const names = sharedNames(effects, [...(own ?? []), ...capabilities], roots);
  return names.length === 0 ? undefined : names;
}

/** Calls of one session that need the same among all sessions wait for each other here. */
function keysOf({ effects }: AuthorizedCall, shared: readonly string[] | undefined): readonly LockKey[] {
  if (shared === undefined) return lockKeys(effects);
  const ours = shared.map(
    (name) => ({ access: "exclude", resource: `shared ${name}`, subtree: false }) as const,
  );
  return [...lockKeys(effects), ...ours];
}
