import { generateLine } from "./generate-line.ts";
import { TRAPS } from "./line-parts.ts";
import type { Random } from "./random.ts";

/** Longer ones would not fit into one write of the stub. */
const LONGEST_LINE = 400;

/** A generated line after a few changes at any place: the nearer to plain, the more it can tell. */
export function fuzzedLine(random: Random): string {
  let line = generateLine(random);
  const changes = random.pick([0, 0, 0, 1, 1, 2, 4]);
  for (let count = 0; count < changes; count += 1) line = changed(random, line);
  // A shell cannot be given a NUL, and takes half a character for something else.
  return [...line.replaceAll("\0", "")].slice(0, LONGEST_LINE).join("").toWellFormed();
}

function changed(random: Random, line: string): string {
  const at = random.below(line.length + 1);
  const to = Math.min(line.length, at + 1 + random.below(4));
  const [before, cut, after] = [line.slice(0, at), line.slice(at, to), line.slice(to)];
  const kind = random.below(5);
  if (kind === 0) return before + after;
  if (kind === 1) return before + cut + cut + after;
  if (kind === 2) return before + random.pick(TRAPS) + after;
  if (kind === 3) return after + before + cut;
  return before + random.pick(TRAPS) + cut + after;
}
