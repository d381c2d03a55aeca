/** A position in a text that resembles the searched text. */
export interface NearPlace {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** It differs from the searched text only in the white space around its lines. */
  readonly differsInSpace: boolean;
}

const MOST_PLACES = 3;
const MOST_LINES = 5;
const LONGEST_LINE = 500;
const LEAST_LIKENESS = 0.5;

/**
 * The positions in a text that are most similar to a text that was not found. Compares each line with the longest
 * searched line by pairs of characters, so the time is linear in both.
 */
export function nearestLines(text: string, wanted: string): readonly NearPlace[] {
  const wantedLines = wanted.split("\n", 1_000).map((line) => line.trim());
  const longest = wantedLines.reduce((best, line) => (line.length > best.length ? line : best), "");
  if (longest === "") return [];
  const first = wantedLines.indexOf(longest);
  const lines = text.split("\n");
  return likest(lines, likenessTo(longest.slice(0, LONGEST_LINE)))
    .map((index) => Math.max(0, index - first))
    .filter((start, index, all) => all.indexOf(start) === index)
    .map((start) => ({
      line: start + 1,
      lines: lines.slice(start, start + Math.min(wantedLines.length, MOST_LINES)).map(withoutReturn),
      differsInSpace: wantedLines.every((line, index) => line === lines[start + index]?.trim()),
    }));
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** The most similar lines, best first. */
function likest(lines: readonly string[], likeness: (line: string) => number): readonly number[] {
  const best: { readonly index: number; readonly score: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const score = likeness(line.slice(0, LONGEST_LINE).trim());
    if (score < LEAST_LIKENESS || score <= (best[MOST_PLACES - 1]?.score ?? 0)) continue;
    best.push({ index, score });
    best.sort((one, other) => other.score - one.score || one.index - other.index);
    best.length = Math.min(best.length, MOST_PLACES);
  }
  return best.map(({ index }) => index);
}

/** The share of character pairs that a line has in common with this one, from 0 to 1. */
function likenessTo(wanted: string): (line: string) => number {
  const pairs = new Uint8Array(65_536);
  for (let at = 1; at < wanted.length; at += 1) pairs[pairAt(wanted, at)] = 1;
  return (line) => {
    if (line === wanted) return 1;
    if (line.length < 2 || wanted.length < 2) return 0;
    let common = 0;
    for (let at = 1; at < line.length; at += 1) common += pairs[pairAt(line, at)] as number;
    return (2 * Math.min(common, wanted.length - 1)) / (line.length + wanted.length);
  };
}

function pairAt(line: string, at: number): number {
  return (line.charCodeAt(at - 1) * 257 + line.charCodeAt(at)) & 0xffff;
}
