import { formsOf } from "../../commands/forms/command-forms.ts";
import { allowedSegments, isAstray, patternSegments, segmentsOf } from "../../file-names/path-pattern.ts";
import {
  type CommandPattern,
  commandPattern,
  isFreeWord,
  isShellPattern,
  wordsOf,
} from "./command-pattern.ts";
import {
  alternativesOf,
  compileGlob,
  isTooLong,
  type TargetKind,
  type TargetPattern,
} from "./compile-glob.ts";
import { PatternTrie, TextTable } from "./pattern-trie.ts";

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
  // It is a pattern itself.
  visible: () => () => undefined,
  command: findCommands,
  text: findTexts,
};

/** What is filed, and how its pattern must grip a target for it to be found. */
export interface IndexedPattern<Entry> {
  readonly pattern: string;
  readonly grip: "matches" | "mayMatch";
  readonly entry: Entry;
}

/** The leaves that grip a target, some perhaps twice; `undefined` where each must be asked. */
type FindLeaves<Entry> = (target: string) => readonly Leaf<Entry>[] | undefined;

/** One pattern in an index. */
class Leaf<Entry> {
  readonly pattern: string;
  readonly grip: "matches" | "mayMatch";
  readonly entry: Entry;
  /** What the pattern stands for without its braces; nothing where it cannot be read. */
  readonly alternatives: readonly string[];
  /** It grips whatever comes. */
  readonly gripsAll: boolean;
  /** The search that found it last. */
  foundIn = 0;
  #compiled: TargetPattern | undefined;

  constructor({ pattern, grip, entry }: IndexedPattern<Entry>) {
    const alternatives = alternativesOf(pattern);
    this.pattern = pattern;
    this.grip = grip;
    this.entry = entry;
    this.alternatives = alternatives ?? [];
    this.gripsAll = alternatives === undefined ? grip === "mayMatch" : alternatives.includes("**");
  }

  grips(target: string, kind: TargetKind): boolean {
    this.#compiled ??= compileGlob(this.pattern);
    return this.#compiled[this.grip](target, kind);
  }
}

const MAY_BE_PATTERN = /[*?{]/;

/** Files path patterns by their segments. */
function findPaths<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
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

type Argv = readonly string[];

/** A first word that stands for itself alone. */
const NAME = /^[\w./+-]+(?=\s|$)/;

/**
 * Files command patterns by their words: those that allow apart, since they are held more strictly. Those of one program
 * are read when the first command has its name: a process that decides about one command has no use for most.
 */
function findCommands<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
  const always: Leaf<Entry>[] = [];
  const allowing = new PatternTrie<Leaf<Entry>>();
  const others = new PatternTrie<Leaf<Entry>>();
  const byName = new TextTable<Leaf<Entry>[]>();
  const unread = new Map<string, (readonly [string, Leaf<Entry>])[]>();

  function add({ words, isOpen }: CommandPattern, leaf: Leaf<Entry>): void {
    const [name] = words;
    if (name === undefined) return;
    byName.at(name, () => []).push(leaf);
    (leaf.grip === "matches" ? allowing : others).add(words.map(oneWord), isOpen, leaf);
  }

  function readAll(argv: Argv): void {
    for (const word of argv) {
      for (const [pattern, leaf] of unread.get(word) ?? []) add(commandPattern(pattern), leaf);
      unread.delete(word);
    }
  }

  for (const leaf of leaves) {
    const named = leaf.alternatives.map((pattern) => [NAME.exec(pattern)?.[0], pattern] as const);
    const patterns = named.flatMap(([name, pattern]) =>
      name === undefined ? [commandPattern(pattern)] : [],
    );
    if (leaf.gripsAll || patterns.some(({ isAny }) => isAny)) always.push(leaf);
    else {
      for (const pattern of patterns) add(pattern, leaf);
      for (const [name, pattern] of named) {
        if (name === undefined) continue;
        const known = unread.get(name);
        if (known === undefined) unread.set(name, [[pattern, leaf]]);
        else known.push([pattern, leaf]);
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
    for (const words of [argv, ...forms]) readAll(words);
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

/** Files text patterns by what they begin or end with. */
function findTexts<Entry>(leaves: readonly Leaf<Entry>[]): FindLeaves<Entry> {
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
