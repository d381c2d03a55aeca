import { pickBest } from "./pick-best.ts";
import { addPostings, mergePostings, NO_POSTINGS, noNewPostings } from "./posting-lists.ts";
import { readQuery } from "./read-query.ts";
import { createScorer } from "./score-tools.ts";
import type { Scoreboard } from "./scoreboard.ts";
import type { ToolEntry } from "./tool-entry.ts";
import { weighTerms } from "./weigh-terms.ts";

/** A tool that a search found. Scores are comparable within one search only. */
export interface ToolMatch {
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
  let [lists, added] = [NO_POSTINGS, noNewPostings()];
  let score: ReturnType<typeof createScorer> | undefined;

  function add(more: Iterable<ToolEntry>): void {
    score = undefined;
    for (const entry of more) {
      const number = ids.length;
      addPostings(added, { tool: number, terms: weighTerms(entry) });
      ids.push(entry.id);
      names.push(entry.name);
      numbers.set(entry.id, number);
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
    lists = mergePostings(lists, { added, renumbered });
    added = noNewPostings();
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
