import type { PostingLists } from "./posting-lists.ts";
import type { Terms } from "./read-query.ts";

/** The tools that have anything to do with some terms. */
export interface Scoreboard {
  readonly count: number;
  readonly highest: number;
  /** The numbers of the tools, in no order that means anything; only the first `count` are good. */
  readonly tools: Uint32Array;
  /** By the number of the tool; 0 for those that have none of the terms. */
  readonly scores: Float32Array;
  /** Forgets what was scored before and scores these terms; lists longer than `longest` are passed over. */
  fill(terms: Terms, longest: number): void;
}

/** Makes a scoreboard over some lists, in memory that is taken once. */
export function createScoreboard(lists: PostingLists, size: number): Scoreboard {
  const tools = new Uint32Array(size);
  const scores = new Float32Array(size);
  const board = { count: 0, highest: 0, tools, scores, fill };

  function fill(terms: Terms, longest: number): void {
    for (let at = 0; at < board.count; at += 1) scores[tools[at] ?? 0] = 0;
    board.count = 0;
    board.highest = 0;
    let used = 0;
    for (const [term, weight] of terms) {
      const place = lists.directories.get(term);
      if (place === undefined) continue;
      const length = listLength(lists, place);
      if (length > longest) continue;
      used += 1;
      if (used > MOST_TERMS) return;
      addList(place, weight * Math.log(1 + (size - length + 0.5) / (length + 0.5)));
    }
  }

  function addList(place: number, factor: number): void {
    // Everything the loop touches is a local: it is nearly all of what a search costs.
    const { tools: listed, weights } = lists;
    const end = lists.starts[place + 1] ?? 0;
    let { count, highest } = board;
    for (let at = lists.starts[place] ?? 0; at < end; at += 1) {
      const tool = listed[at] ?? 0;
      const before = scores[tool] ?? 0;
      if (before === 0) {
        tools[count] = tool;
        count += 1;
      }
      const after = before + factor * (weights[at] ?? 0);
      scores[tool] = after;
      if (after > highest) highest = after;
    }
    board.count = count;
    board.highest = highest;
  }

  return board;
}

/** How many tools have the term at this place. */
export function listLength(lists: PostingLists, place: number): number {
  return (lists.starts[place + 1] ?? 0) - (lists.starts[place] ?? 0);
}

const MOST_TERMS = 128;
