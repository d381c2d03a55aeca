import type { Walls } from "@toolkeep/core";

/** Commands run side by side: what one was given leave to make, another one must not take away. */
const openings = new Map<string, number>();

const MOST_KEPT = 10_000;

/** Keeps in mind what the walls of a command open, until it is over and as long as others ran beside it. */
export function keepOpenings({ write }: Walls): () => void {
  if (openings.size > MOST_KEPT) openings.clear();
  for (const path of write) openings.set(path, Number.POSITIVE_INFINITY);
  return () => {
    for (const path of write) openings.set(path, performance.now());
  };
}

/** Whether the very path was open to some command since then. */
export function wasOpenSince(path: string, since: number): boolean {
  return (openings.get(path) ?? Number.NEGATIVE_INFINITY) >= since;
}
