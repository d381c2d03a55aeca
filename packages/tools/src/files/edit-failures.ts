import { ToolFailure } from "@toolkeep/core";
import { newMark } from "@toolkeep/core/internal";
import type { Span } from "./match-linearly.ts";
import type { SearchedText } from "./searched-text.ts";
import { shownText } from "./text-form.ts";

/** `old_string` was not found: shows the most similar lines. */
export function missing(path: string, { bytes }: SearchedText, wanted: string): ToolFailure {
  const { near, hint } = similarText(shownText(bytes), wanted);
  return new ToolFailure("conflict", `The text to replace was not found in ${JSON.stringify(path)}.${near}`, {
    hint,
  });
}

/** The lines that are most similar to a text that was not found, with their numbers, and what may be wrong with it. */
export function similarText(text: string, wanted: string): { readonly near: string; readonly hint: string } {
  const similar = nearestLines(text, wanted.replaceAll("\r\n", "\n"));
  const shown = similar.map(({ line, lines }) =>
    lines.map((text, index) => numbered(line + index, text)).join("\n"),
  );
  const near = shown.length === 0 ? "" : ` The most similar text:\n${shown.join("\n…\n")}\n`;
  const hint = NUMBERED.test(wanted)
    ? "Leave out the line numbers that `read` shows before each line."
    : similar.some(({ differsInSpace }) => differsInSpace)
      ? "Only white space differs: copy it exactly, with its indentation."
      : "Read the file and copy the text exactly.";
  return { near, hint };
}

export function changedSince(path: string): ToolFailure {
  return new ToolFailure("conflict", `${JSON.stringify(path)} has changed since this session read it.`, {
    hint: "Read it again before you edit it.",
  });
}

export function notText(path: string): ToolFailure {
  return new ToolFailure("tool_failed", `${JSON.stringify(path)} is not a text file and cannot be edited.`);
}

export interface Ambiguity {
  readonly path: string;
  readonly text: SearchedText;
  readonly matches: readonly Span[];
  /** The search stopped at this many matches. */
  readonly most: number;
}

/** `old_string` was found more than once: shows where. */
export function ambiguous({ path, text, matches, most }: Ambiguity): ToolFailure {
  const count = matches.length < most ? `${matches.length} times` : `at least ${most} times`;
  const lines = matches.map(({ start }) => numbered(text.lineAt(start), shownLine(text, start)));
  return new ToolFailure(
    "conflict",
    `The text to replace occurs in ${JSON.stringify(path)} ${count}:\n${lines.join("\n")}\n`,
    { hint: "Add more of the surrounding lines to make it unique, or set `replace_all`." },
  );
}

/**
 * What a session is shown has marks in place of secrets. One that is written back would replace the secret itself.
 * `before` is the file as it was; missing where it was seen in part.
 */
export function refuseMarks(path: string, text: string, before: string | undefined): void {
  const mark = newMark(text, before ?? "");
  if (mark === undefined) return;
  throw new ToolFailure(
    "conflict",
    `The text has ${mark}, which stands for a secret of ${JSON.stringify(path)} that was not shown. Written back, it would replace the secret.`,
    { hint: "Use `edit`, with an `old_string` and a `new_string` that leave out the line with the mark." },
  );
}

const LONGEST_LINE = 200;
const NUMBERED = /^ *\d+\t/;

function numbered(line: number, text: string): string {
  const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  return `${String(line).padStart(6)}\t${shown}`;
}

function shownLine(text: SearchedText, at: number): string {
  const start = text.startOfLine(at);
  // More bytes than the characters that are shown can take.
  const end = Math.min(text.endOfLine(at), start + LONGEST_LINE * 4);
  return shownText(text.bytes.subarray(start, end)).replace(/\r?\n?$/, "");
}

/** A position in a text that resembles the searched text. */
interface NearPlace {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** It differs from the searched text only in the white space around its lines. */
  readonly differsInSpace: boolean;
}

const MOST_PLACES = 3;
const MOST_LINES = 5;
const LONGEST_COMPARED = 500;
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
  return likest(lines, likenessTo(longest.slice(0, LONGEST_COMPARED)))
    .map((index) => Math.max(0, index - first))
    .filter((start, index, all) => all.indexOf(start) === index)
    .map((start) => ({
      line: start + 1,
      lines: lines
        .slice(start, start + Math.min(wantedLines.length, MOST_LINES))
        .map((line) => line.replace(/\r$/, "")),
      differsInSpace: wantedLines.every((line, index) => line === lines[start + index]?.trim()),
    }));
}

/** The most similar lines, best first. */
function likest(lines: readonly string[], likeness: (line: string) => number): readonly number[] {
  const best: { readonly index: number; readonly score: number }[] = [];
  for (const [index, line] of lines.entries()) {
    const score = likeness(line.slice(0, LONGEST_COMPARED).trim());
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
