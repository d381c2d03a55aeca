import { formsOf } from "../../commands/command-forms.ts";
import { commandPattern } from "./command-pattern.ts";
import type { FindLeaves, Leaf } from "./leaf.ts";
import { PatternTrie } from "./pattern-trie.ts";
import { isFreeWord, isShellPattern, wordsOf } from "./shell-word.ts";
import { TextTable } from "./text-table.ts";

type Argv = readonly string[];

/** Files command patterns by their words: those that allow apart, since they are held more strictly. */
export function findCommands<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
  const always: Leaf<Entry>[] = [];
  const allowing = new PatternTrie<Leaf<Entry>>();
  const others = new PatternTrie<Leaf<Entry>>();
  const byName = new TextTable<Leaf<Entry>[]>();
  for (const leaf of leaves) {
    const patterns = leaf.alternatives.map(commandPattern);
    if (leaf.gripsAll || patterns.some(({ isAny }) => isAny)) always.push(leaf);
    else {
      for (const { words, isOpen } of patterns) {
        const [name] = words;
        if (name === undefined) continue;
        byName.at(name, () => []).push(leaf);
        (leaf.grip === "matches" ? allowing : others).add(words.map(oneWord), isOpen, leaf);
      }
    }
  }

  /** What a shell may turn into other words is held against every pattern with such a name. */
  function findByName(target: string, forms: readonly Argv[]): readonly Leaf<Entry>[] | undefined {
    const named = new Set(always);
    for (const [name] of forms) {
      if (name === undefined || isShellPattern(name)) return undefined;
      for (const leaf of byName.collect(name, true).flat()) named.add(leaf);
    }
    return [...named].filter((leaf) => leaf.grips(target, "command"));
  }

  return (target) => {
    const argv = wordsOf(target);
    const forms = formsOf(argv);
    if (mayChange(argv) || forms.some(mayChange)) return findByName(target, [argv, ...forms]);
    const found = always.slice();
    allowing.walk(argv, argv.map(isFreeAt), found);
    for (const form of forms) others.walk(form, undefined, found);
    return found;
  };
}

function mayChange(argv: Argv): boolean {
  return argv.length === 0 || argv.some(isShellPattern);
}

function isFreeAt(_word: string, index: number, argv: Argv): boolean {
  return isFreeWord(argv, index);
}

/** Within a command pattern `**` is no more than `*`. */
function oneWord(word: string): string {
  return word === "**" ? "*" : word;
}
