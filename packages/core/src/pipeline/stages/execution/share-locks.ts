import type { HeldLocks } from "../../../contract/store/store.ts";
import { failure } from "../../../results/runtime-failure.ts";
import { type Awaitable, Parked, type QueuedCall, Refused } from "../../turn/stage.ts";
import type { Turn } from "../../turn/turn.ts";

/** Runs a call while it has the locks that it needs among all sessions. Its ticket is granted, and stays so. */
export async function underSharedLocks<Ended>(
  call: QueuedCall,
  turn: Turn,
  run: () => Awaitable<Ended>,
): Promise<Ended | Parked | Refused> {
  if ((await granted(call, turn)) === "abandoned") return new Parked(call.id);
  const outer = heldOutside(turn);
  const names = (call.shared ?? []).filter((name) => !outer.has(name));
  if (names.length === 0 || turn.cancellation.isCancelled) return run();
  call.lock.stepAside();
  const { signal } = turn.cancellation;
  // A call that has locks never waits for more, so no two sessions wait for each other.
  const acquiring = turn.runtime.locking.locks.acquire(names, { signal, wait: outer.size === 0 });
  const held = await (turn.spans?.waitForLocks(call.id, acquiring) ?? acquiring);
  if (held === undefined) return turn.cancellation.isCancelled ? run() : taken(call, names);
  return holding(held, call, turn, run);
}

async function holding<Ended>(
  held: HeldLocks,
  call: QueuedCall,
  turn: Turn,
  run: () => Awaitable<Ended>,
): Promise<Ended | Parked | Refused> {
  // Another session may work on the same from now on.
  const stop = () => turn.cancellation.cancel();
  if (held.lost?.aborted === true) stop();
  held.lost?.addEventListener("abort", stop, { once: true });
  try {
    // A call inside another one may have passed meanwhile.
    return (await granted(call, turn)) === "abandoned" ? new Parked(call.id) : await run();
  } finally {
    held.lost?.removeEventListener("abort", stop);
    await held.release();
  }
}

async function granted(call: QueuedCall, turn: Turn): Promise<unknown> {
  const waiting = call.lock.granted;
  if (waiting === undefined) return undefined;
  return turn.cancellation.race(turn.spans?.waitForLocks(call.id, waiting) ?? waiting);
}

/** What the calls have that this one is made in. */
function heldOutside(turn: Turn): ReadonlySet<string> {
  const held = new Set<string>();
  for (let { inside } = turn; inside !== undefined; { inside } = inside.running.turn)
    for (const name of inside.running.call.shared ?? []) held.add(name);
  return held;
}

function taken(call: QueuedCall, names: readonly string[]): Refused {
  const message = `Another session works on the same (${names.join(", ")}), and the call that makes this one has locks already. Nothing was done.`;
  return new Refused("execute", failure("conflict", message, "Make this call again, or by itself."), call);
}
