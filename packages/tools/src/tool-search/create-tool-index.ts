import { pickBest } from "./pick-best.ts";
import { addPostings, mergePostings, NO_POSTINGS, noNewPostings } from "./posting-lists.ts";
import { readQuery } from "./read-query.ts";
import { createScorer } from "./score-tools.ts";
import type { Scoreboard } from "./scoreboard.ts";
import type { ToolEntry } from "./tool-entry.ts";
import { weighTerms } from "./weigh-terms.ts";

/** One tool that a search found; scores compare within one search only. */
export interface ToolMatch {
  readonly id: string;
  readonly score: number;
}

/** Finds tools by what is asked of them. The same tools and the same query always give the same answer. */
export interface ToolIndex {
  readonly size: number;
  /** Adds tools; one whose id is there already is replaced. */
  add(entries: Iterable<ToolEntry>): void;
  /** Removes tools; ids that are not there are passed over. */
  remove(ids: Iterable<string>): void;
  /**
   * The best tools for a query, best first, those of the same score by name and then by id. A tool that shares
   * a word with the query, and whose name or id is the query, comes before all others. Never gives more than
   * 100, and none if nothing fits.
   */
  search(query: string, limit: number): readonly ToolMatch[];
}

/**
 * Makes an index over these tools. A change costs the reading of the tools that changed, and one pass over the
 * lists at the next search; the answer is the same as that of an index made anew.
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
      // Tools that come and go while nobody searches must not pile up.
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
  // The length first: it tells almost all of them apart, without making a string.
  return text?.length === lowered.length && text.toLowerCase() === lowered;
}
