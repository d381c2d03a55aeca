import type { CommandEntry, ProgramEntry } from "./entry.ts";
import { type OptionTable, optionsNamed, optionTable, type Style } from "./spellings.ts";
import { patternOf, type WordPattern } from "./word-pattern.ts";

/** What an entry says of a subcommand. Options are read when they are asked for: a program has hundreds. */
class Said {
  readonly entry: CommandEntry;
  readonly #style: Style | undefined;
  #options: OptionTable | undefined;
  #usual: ((word: string) => boolean) | undefined;
  #modes: CommandNode["modes"] | undefined;

  constructor(said: string | CommandEntry, style: Style | undefined) {
    this.entry = typeof said === "string" ? { does: said } : said;
    this.#style = style;
  }

  get options(): OptionTable | undefined {
    const { options, with: modes } = this.entry;
    if (options === undefined && modes === undefined) return undefined;
    this.#options ??= optionTable(options, this.#style, Object.keys(modes ?? {}));
    return this.#options;
  }

  get usual(): ((word: string) => boolean) | undefined {
    const { usual } = this.entry;
    if (usual !== undefined) this.#usual ??= optionsNamed(usual, this.#style);
    return this.#usual;
  }

  get modes(): CommandNode["modes"] {
    this.#modes ??= Object.entries(this.entry.with ?? {}).map(([spelling, one]) => {
      const mode = new CommandNode();
      mode.learn(new Said(one, this.#style));
      return [optionTable({ plain: spelling }, this.#style), mode] as const;
    });
    return this.#modes;
  }
}

/** A subcommand and what may follow it. */
export class CommandNode {
  readonly named = new Map<string, CommandNode>();
  /** Words with a `*`, the most specific first. */
  readonly patterns: (readonly [pattern: WordPattern, node: CommandNode, written: string])[] = [];
  readonly #said: Said[] = [];

  /** What is said later counts more. */
  learn(said: Said): void {
    this.#said.unshift(said);
  }

  get does(): string | undefined {
    return this.#first(({ entry }) => entry.does);
  }

  get alone(): string | undefined {
    return this.#first(({ entry }) => entry.alone);
  }

  get operands(): string | undefined {
    return this.#first(({ entry }) => entry.operands);
  }

  get default(): string | undefined {
    return this.#first(({ entry }) => entry.default);
  }

  /** What it does besides, by operands in lower case: names of many things are compared so. */
  get naming(): readonly (readonly [operand: WordPattern, does: string])[] | undefined {
    const naming = this.#first(({ entry }) => entry.naming);
    if (naming === undefined) return undefined;
    return Object.entries(naming).flatMap(([words, adds]) =>
      words
        .toLowerCase()
        .split(" ")
        .map((word) => [patternOf(word), adds] as const),
    );
  }

  get options(): OptionTable {
    return this.#first(({ options }) => options) ?? NO_OPTIONS;
  }

  /** Whether a word is one of its usual options. */
  get usual(): ((word: string) => boolean) | undefined {
    return this.#first(({ usual }) => usual);
  }

  /** What it is with one of these options; the first one that is written counts. */
  get modes(): readonly (readonly [options: OptionTable, node: CommandNode])[] {
    return this.#said.toReversed().flatMap(({ modes }) => modes);
  }

  #first<Value>(pick: (said: Said) => Value | undefined): Value | undefined {
    for (const said of this.#said) {
      const value = pick(said);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

/** A program, before its subcommands. */
export class ProgramNode extends CommandNode {
  /** Options that stand before a subcommand. */
  readonly before: OptionTable;
  readonly usualBefore: ((word: string) => boolean) | undefined;
  readonly #options: OptionTable;

  constructor(entry: ProgramEntry) {
    super();
    const { style, commands, usualBefore } = entry;
    this.learn(new Said(entry, style));
    const all = [...super.options];
    const questions = commands === undefined ? [] : all.filter(isQuestion);
    this.before = new Map([...questions, ...optionTable(entry.before, style)]);
    this.#options = new Map(all.filter((one) => !questions.includes(one)));
    this.usualBefore = usualBefore === undefined ? undefined : optionsNamed(usualBefore, style);
  }

  override get options(): OptionTable {
    return this.#options;
  }
}

const NO_OPTIONS: OptionTable = new Map();
const trees = new WeakMap<ProgramEntry, ProgramNode>();

/** The subcommands of a program, word by word. */
export function treeOf(entry: ProgramEntry): ProgramNode {
  const tree = trees.get(entry) ?? commandTree(entry);
  trees.set(entry, tree);
  return tree;
}

function commandTree(entry: ProgramEntry): ProgramNode {
  const root = new ProgramNode(entry);
  for (const [words, one] of Object.entries(entry.commands ?? {})) {
    let nodes: readonly CommandNode[] = [root];
    for (const word of words.split(" "))
      nodes = nodes.flatMap((node) => word.split("|").map((name) => childOf(node, name)));
    const said = new Said(one, entry.style);
    for (const node of nodes) node.learn(said);
  }
  return root;
}

/** What asks for the version of a program is often another option after a subcommand. */
function isQuestion([name, { makes }]: readonly [string, { readonly makes?: string }]): boolean {
  return makes === "nothing" && /^--?(?:version|v)$/i.test(name);
}

function childOf(node: CommandNode, word: string): CommandNode {
  const known = word.includes("*")
    ? node.patterns.find(([, , written]) => written === word)?.[1]
    : node.named.get(word);
  if (known !== undefined) return known;
  const child = new CommandNode();
  if (!word.includes("*")) node.named.set(word, child);
  else {
    node.patterns.push([patternOf(word), child, word]);
    node.patterns.sort(([, , one], [, , other]) => other.length - one.length);
  }
  return child;
}

/**
 * The subcommand that a word names after others, and after it the patterns that stand for the same word: they say what it
 * leaves open. What does something is no group of further commands, so that they end there. Empty where it is an operand.
 */
export function subcommandsOf(nodes: readonly CommandNode[], word: string): readonly CommandNode[] {
  const found = nodes.flatMap(({ named, patterns }) => [
    ...(named.get(word) === undefined ? [] : [named.get(word) as CommandNode]),
    ...patterns.filter(([pattern]) => pattern.test(word)).map(([, node]) => node),
  ]);
  const end = found.findIndex(({ does }) => does !== undefined);
  return end === -1 ? found : found.slice(0, end + 1);
}

/** What subcommands do that are made of some of these words, as far as it is meant. */
export function doneByWords(
  { named, patterns }: CommandNode,
  words: readonly string[],
  isMeant: (does: string) => boolean,
): readonly string[] {
  const children = [
    ...words.map((word) => named.get(word)),
    ...patterns.map(([pattern, child]) => (words.some((word) => pattern.test(word)) ? child : undefined)),
  ];
  return [...new Set(children)].flatMap((child) => {
    if (child === undefined) return [];
    const own = child.does !== undefined && isMeant(child.does) ? [child.does] : [];
    return [...own, ...doneByWords(child, words, isMeant)];
  });
}

/** What the operand at a place is; the last kind stands for all that follow. */
export function kindAt(kinds: readonly string[] | undefined, index: number): string | undefined {
  return kinds?.[Math.min(index, kinds.length - 1)];
}
