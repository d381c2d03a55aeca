/** What is wrong with a file, a tool or a rule, where, and how to fix it. Lines and columns count from 1. */
export interface Diagnostic {
  /** Stable, for programs: `invalid_rule`, `invalid_tool` … */
  readonly code: string;
  /** One or two sentences for a person. */
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** What to write or to run instead. */
  readonly hint?: string;
}

/** The known name that is closest to a mistyped one, if one is close. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = 4;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    const isClose = distance <= Math.ceil(Math.max(name.length, candidate.length) / 3);
    if (isClose && distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** How many letters to add, remove or change. Long names are never close: the cost is quadratic. */
function editDistance(one: string, other: string): number {
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
