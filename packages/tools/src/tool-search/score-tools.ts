import type { PostingLists } from "./posting-lists.ts";
import type { Query, Terms } from "./read-query.ts";
import { createScoreboard, listLength, type Scoreboard } from "./scoreboard.ts";

/** Scores tools against queries. A result is valid until the next query. */
export function createScorer(lists: PostingLists, size: number): (query: Query) => Scoreboard {
  const whole = createScoreboard(lists, size);
  const clause = createScoreboard(lists, size);
  const best = new Float32Array(size);

  return function score({ whole: terms, clauses }: Query): Scoreboard {
    const longest = longestList(terms);
    whole.fill(terms, longest);
    if (clauses.length === 0) return whole;
    for (const each of clauses) keepBest(each, longest);
    blend();
    return whole;
  };

  /** Scales each clause by its own best tool, so that a long sentence does not outweigh a short one. */
  function keepBest(terms: Terms, longest: number): void {
    clause.fill(terms, longest);
    for (let at = 0; at < clause.count; at += 1) {
      const tool = clause.tools[at] ?? 0;
      const scaled = (clause.scores[tool] ?? 0) / clause.highest;
      if (scaled > (best[tool] ?? 0)) best[tool] = scaled;
    }
  }

  /** Adds the share of the clauses, and clears `best` for the next query. */
  function blend(): void {
    const ofClauses = whole.highest * CLAUSE_SHARE;
    for (let at = 0; at < whole.count; at += 1) {
      const tool = whole.tools[at] ?? 0;
      const inWhole = whole.scores[tool] ?? 0;
      whole.scores[tool] = inWhole * (1 - CLAUSE_SHARE) + (best[tool] ?? 0) * ofClauses;
    }
    best.fill(0);
  }

  /** Lists of common terms cost the most and tell the least; they are read only if there are no others. */
  function longestList(terms: Terms): number {
    const longest = Math.max(SHORTEST_COMMON, size * COMMON_SHARE);
    for (const term of terms.keys()) {
      const position = lists.positions.get(term);
      if (position !== undefined && listLength(lists, position) <= longest) return longest;
    }
    return size;
  }
}

const COMMON_SHARE = 0.2;
const SHORTEST_COMMON = 1_000;
const CLAUSE_SHARE = 0.4;
