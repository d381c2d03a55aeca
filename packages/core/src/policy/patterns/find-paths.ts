import type { FindLeaves, Leaf } from "./leaf.ts";
import { allowedSegments, isAstray, patternSegments, segmentsOf } from "./path-pattern.ts";
import { PatternTrie } from "./pattern-trie.ts";

const MAY_BE_PATTERN = /[*?{]/;

/** Files path patterns by their segments. */
export function findPaths<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
  const always = leaves.filter(({ gripsAll }) => gripsAll);
  const trie = new PatternTrie<Leaf<Entry>>();
  for (const leaf of leaves) {
    if (leaf.gripsAll || leaf.alternatives.length === 0) continue;
    const { grip, alternatives, pattern } = leaf;
    const paths = grip === "matches" ? allowedSegments(pattern) : alternatives.map(patternSegments);
    for (const segments of paths) {
      const isOpen = segments.at(-1) === "**";
      if (segments.length > 0) trie.add(isOpen ? segments.slice(0, -1) : segments, isOpen, leaf);
    }
  }
  return (target) => {
    if (MAY_BE_PATTERN.test(target)) return undefined;
    const path = segmentsOf(target);
    if (path.length === 0 || isAstray(path)) return undefined;
    const found = always.slice();
    trie.walk(path, undefined, found);
    return found;
  };
}
