import type { FindLeaves, Leaf } from "./leaf.ts";
import { TextTable } from "./text-table.ts";

const MAY_BE_PATTERN = /[*?{]/;

/** Files text patterns by what they begin or end with. */
export function findTexts<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
  const always = leaves.filter(({ gripsAll }) => gripsAll);
  const table = new TextTable<Leaf<Entry>[]>();
  for (const leaf of leaves) {
    if (leaf.gripsAll) continue;
    for (const text of leaf.alternatives) table.at(text, () => []).push(leaf);
  }
  return (target) => {
    if (MAY_BE_PATTERN.test(target)) return undefined;
    const lists = table.collect(target, true);
    return lists.length === 0 ? always : [always, ...lists].flat();
  };
}
