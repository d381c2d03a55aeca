import type { Journal } from "../contract/journal.ts";

/** Whether a turn of the session is parked: it will be taken up again, perhaps by another process. */
export async function isWaitedFor(journal: Journal): Promise<boolean> {
  const parked = new Set<string>();
  for await (const { type, turn } of journal.read({ types: ["turn-park", "turn-end"], standing: true })) {
    if (type === "turn-park") parked.add(turn);
    else parked.delete(turn);
  }
  return parked.size > 0;
}
