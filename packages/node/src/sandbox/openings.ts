import type { Walls } from "@toolkeep/core";
import { isBeneath } from "./beneath.ts";

/** Commands run side by side; what one of them may change, another one must reckon with. */
const openings = new Map<string, number>();

const RUNNING = Number.POSITIVE_INFINITY;
const MOST_KEPT = 10_000;

/** Keeps in mind what the walls of a command open, until it is over and for those that ran beside it. */
export function keepOpenings({ write }: Walls): () => void {
  if (openings.size > MOST_KEPT) forgetEnded();
  for (const path of write) openings.set(path, RUNNING);
  return () => {
    for (const path of write) openings.set(path, performance.now());
  };
}

function forgetEnded(): void {
  for (const [path, until] of openings) if (until !== RUNNING) openings.delete(path);
}

/** What was open to some command since then. */
export function openSince(since: number): readonly string[] {
  return openings
    .entries()
    .filter(([, until]) => until >= since)
    .map(([path]) => path)
    .toArray();
}

/** Whether a command that is running could put something else in the place of a path. */
export function canBeSwapped(path: string): boolean {
  return openings.entries().some(([folder, until]) => until === RUNNING && isBeneath(path, folder));
}
