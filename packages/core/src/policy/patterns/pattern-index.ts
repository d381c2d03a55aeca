import { findCommands } from "./find-commands.ts";
import { findPaths } from "./find-paths.ts";
import { findTexts } from "./find-texts.ts";
import { type FindLeaves, type IndexedPattern, Leaf } from "./leaf.ts";
import { isTooLong, type TargetKind } from "./target-kind.ts";

/** Finds what is filed under patterns, without holding a target against each of them. */
export interface PatternIndex<Entry> {
  /** Every entry whose pattern grips the target, in no particular order. */
  find(target: string, kind: TargetKind): readonly Entry[];
}

/** Files entries under their patterns; for each kind when its first target comes. */
export function indexPatterns<Entry>(patterns: readonly IndexedPattern<Entry>[]): PatternIndex<Entry> {
  const leaves = patterns.map((indexed) => new Leaf(indexed));
  const finders: { [Kind in TargetKind]?: FindLeaves<Entry> } = {};
  let search = 0;
  return {
    find(target, kind) {
      finders[kind] ??= FINDERS[kind](leaves);
      const candidates = isTooLong(target, kind) ? undefined : finders[kind](target);
      const found = candidates ?? leaves.filter((leaf) => leaf.grips(target, kind));
      const entries: Entry[] = [];
      search += 1;
      for (const leaf of found) {
        if (leaf.foundIn === search) continue;
        leaf.foundIn = search;
        entries.push(leaf.entry);
      }
      return entries;
    },
  };
}

const FINDERS: Readonly<Record<TargetKind, <Entry>(leaves: readonly Leaf<Entry>[]) => FindLeaves<Entry>>> = {
  path: findPaths,
  command: findCommands,
  text: findTexts,
};
