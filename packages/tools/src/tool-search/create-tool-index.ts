import { PostingLists } from "./posting-lists.ts";
import { type Query, readQuery, type Terms } from "./read-query.ts";
import { createScoreboard, listLength, type Scoreboard } from "./scoreboard.ts";
import type { ToolEntry } from "./tool-entry.ts";
import { weighTerms } from "./weigh-terms.ts";

/** A tool that a search found. Scores are comparable within one search only. */
interface ToolMatch {
  readonly id: string;
  readonly score: number;
}

/** A full-text index of tools. The same tools and the same query always give the same result. */
export interface ToolIndex {
  readonly size: number;
  /** Adds tools; replaces those with the same id. */
  add(entries: Iterable<ToolEntry>): void;
  /** Removes tools; ignores unknown ids. */
  remove(ids: Iterable<string>): void;
  /**
   * Returns the tools that match a query, best first; equal scores are ordered by name, then by id. A tool whose name or
   * id equals the query comes first, if it shares a term with it. Returns at most 100.
   */
  search(query: string, limit: number): readonly ToolMatch[];
}

/**
 * Creates an index of these tools. A change costs the indexing of the tools that changed and one pass over the lists at
 * the next search; the result equals that of a new index.
 */
export function createToolIndex(entries: Iterable<ToolEntry> = []): ToolIndex {
  let [ids, names]: [string[], string[]] = [[], []];
  let numbers = new Map<string, number>();
  const lists = new PostingLists();
  let score: ReturnType<typeof createScorer> | undefined;

  function add(more: Iterable<ToolEntry>): void {
    score = undefined;
    for (const entry of more) {
      lists.add(ids.length, weighTerms(entry));
      numbers.set(entry.id, ids.length);
      ids.push(entry.id);
      names.push(entry.name);
      // Tools that are added and removed between searches must not accumulate.
      if (ids.length > 2 * numbers.size + MOST_GONE) merge();
    }
  }

  function remove(gone: Iterable<string>): void {
    for (const id of gone) if (numbers.delete(id)) score = undefined;
  }

  function merge(): void {
    const renumbered = new Int32Array(ids.length).fill(-1);
    const kept = Array.from(numbers.values()).sort((one, other) => one - other);
    for (const [number, old] of kept.entries()) renumbered[old] = number;
    lists.merge(renumbered);
    ids = kept.map((old) => ids[old] ?? "");
    names = kept.map((old) => names[old] ?? "");
    numbers = new Map(ids.map((id, number) => [id, number]));
  }

  function search(query: string, limit: number): readonly ToolMatch[] {
    if (score === undefined) {
      merge();
      score = createScorer(lists, ids.length);
    }
    const scored = score(readQuery(query));
    raiseNamed(scored, query);
    const atMost = Math.max(0, Math.min(MOST_RESULTS, Math.trunc(limit) || 0));
    return pickBest(scored, { limit: atMost, comesBefore }).map((number) => ({
      id: ids[number] ?? "",
      score: scored.scores[number] ?? 0,
    }));
  }

  function raiseNamed({ count, tools, scores, highest }: Scoreboard, query: string): void {
    if (query.length > LONGEST_NAME) return;
    const wanted = query.trim().toLowerCase();
    for (let at = 0; at < count; at += 1) {
      const tool = tools[at] ?? 0;
      if (isSame(names[tool], wanted) || isSame(ids[tool], wanted)) {
        scores[tool] = (scores[tool] ?? 0) + highest;
      }
    }
  }

  function comesBefore(one: number, other: number): boolean {
    const [name = "", otherName = ""] = [names[one], names[other]];
    return name === otherName ? (ids[one] ?? "") < (ids[other] ?? "") : name < otherName;
  }

  add(entries);
  return Object.freeze({
    get size() {
      return numbers.size;
    },
    add,
    remove,
    search,
  });
}

const MOST_RESULTS = 100;
const MOST_GONE = 1_000;
const LONGEST_NAME = 64;

function isSame(text: string | undefined, lowered: string): boolean {
  // The length first: it distinguishes almost all of them without making a string.
  return text?.length === lowered.length && text.toLowerCase() === lowered;
}

/** How many to pick, and how to order equal scores. */
interface Order {
  readonly limit: number;
  comesBefore(one: number, other: number): boolean;
}

/** The numbers of the best tools, best first. */
function pickBest({ count, tools, scores }: Scoreboard, order: Order): readonly number[] {
  const { limit, comesBefore } = order;
  const best: number[] = [];
  if (limit === 0) return best;
  let worst = 0;
  for (let at = 0; at < count; at += 1) {
    const tool = tools[at] ?? 0;
    const score = scores[tool] ?? 0;
    if (score < worst) continue;
    let position = best.length;
    while (position > 0 && isBetter(tool, best[position - 1] ?? 0)) position -= 1;
    if (position === limit) continue;
    best.splice(position, 0, tool);
    if (best.length > limit) best.pop();
    if (best.length === limit) worst = scores[best.at(-1) ?? 0] ?? 0;
  }
  return best;

  function isBetter(one: number, other: number): boolean {
    const [first = 0, second = 0] = [scores[one], scores[other]];
    return first === second ? comesBefore(one, other) : first > second;
  }
}

/** Scores tools against queries. A result is valid until the next query. */
function createScorer(lists: PostingLists, size: number): (query: Query) => Scoreboard {
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
