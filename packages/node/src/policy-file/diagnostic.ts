import { visible } from "@toolkeep/core/policy";

/** What is wrong with a policy file, and where. Lines and columns count from 1. */
export interface PolicyDiagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to write instead. */
  readonly instead?: string;
}

/** Where something stands in a file. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One line that an editor or a terminal can jump from. */
export function formatDiagnostic({ file, line, column, message, instead }: PolicyDiagnostic): string {
  const hint = instead === undefined ? "" : ` ${instead}`;
  return visible(`${file}:${line}:${column}: ${message}${hint}`);
}

/** The known word that is nearest to a mistyped one, if any is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.min(Math.ceil(word.length / 2), 3) + 1;
  for (const candidate of known) {
    const steps = distance(word, candidate);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** How many letters to add, drop or change. Long words are never near. */
function distance(one: string, other: string): number {
  if (Math.max(one.length, other.length) > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = (row[to - 1] ?? 0) + Number(one[at - 1] !== other[to - 1]);
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
