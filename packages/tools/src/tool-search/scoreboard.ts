import type { PostingLists } from "./posting-lists.ts";
import type { Terms } from "./read-query.ts";

/** The tools that contain some of the terms. */
export interface Scoreboard {
  readonly count: number;
  readonly highest: number;
  /** The numbers of the tools, unordered; only the first `count` are valid. */
  readonly tools: Uint32Array;
  /** By the number of the tool; 0 for tools without any of the terms. */
  readonly scores: Float32Array;
  /** Resets and scores these terms; skips lists longer than `longest`. */
  fill(terms: Terms, longest: number): void;
}

/** Creates a scoreboard for some lists, with memory that is allocated once. */
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
      const position = lists.positions.get(term);
      if (position === undefined) continue;
      const length = listLength(lists, position);
      if (length > longest) continue;
      used += 1;
      if (used > MOST_TERMS) return;
      addList(position, weight * Math.log(1 + (size - length + 0.5) / (length + 0.5)));
    }
  }

  function addList(position: number, factor: number): void {
    // The loop uses locals only: it is nearly the whole cost of a search.
    const { tools: listed, weights } = lists;
    const end = lists.starts[position + 1] ?? 0;
    let { count, highest } = board;
    for (let at = lists.starts[position] ?? 0; at < end; at += 1) {
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

/** How many tools contain the term at this index. */
export function listLength(lists: PostingLists, position: number): number {
  return (lists.starts[position + 1] ?? 0) - (lists.starts[position] ?? 0);
}

const MOST_TERMS = 128;
