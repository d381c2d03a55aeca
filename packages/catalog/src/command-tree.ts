import type { CommandEntry, ProgramEntry } from "./entry.ts";
import { type OptionTable, optionsNamed, optionTable, type Style } from "./spellings.ts";
import { patternOf, type WordPattern } from "./word-pattern.ts";

/** A subcommand and what may follow it. */
export interface CommandNode {
  does?: string;
  alone?: string;
  operands?: string;
  default?: string;
  /** What it does besides, by operands. */
  naming?: readonly (readonly [operand: WordPattern, does: string])[];
  options: OptionTable;
  /** Options that stand before a subcommand. */
  before: OptionTable;
  /** Whether a word is one of its usual options. */
  usual?: (word: string) => boolean;
  usualBefore?: (word: string) => boolean;
  /** What it is with one of these options; the first one that is written counts. */
  readonly modes: (readonly [options: OptionTable, node: CommandNode])[];
  readonly named: Map<string, CommandNode>;
  /** Words with a `*`, the most specific first. */
  readonly patterns: (readonly [pattern: WordPattern, node: CommandNode, written: string])[];
}

const trees = new WeakMap<ProgramEntry, CommandNode>();

/** The subcommands of a program, word by word. */
export function treeOf(entry: ProgramEntry): CommandNode {
  const tree = trees.get(entry) ?? commandTree(entry);
  trees.set(entry, tree);
  return tree;
}

function commandTree(entry: ProgramEntry): CommandNode {
  const { style, commands = {} } = entry;
  const root = newNode();
  fill([root], entry, style);
  for (const [words, said] of Object.entries(commands)) {
    let nodes = [root];
    for (const word of words.split(" "))
      nodes = nodes.flatMap((node) => word.split("|").map((one) => childOf(node, one)));
    fill(nodes, entryOf(said), style);
  }
  const questions = Object.keys(commands).length === 0 ? [] : [...root.options].filter(isQuestion);
  if (entry.usualBefore !== undefined) root.usualBefore = optionsNamed(entry.usualBefore, style);
  root.before = new Map([...questions, ...optionTable(entry.before, style)]);
  root.options = new Map([...root.options].filter(([name]) => !questions.some(([one]) => one === name)));
  return root;
}

/** What asks for the version of a program is often another option after a subcommand. */
function isQuestion([name, { makes }]: readonly [string, { readonly makes?: string }]): boolean {
  return makes === "nothing" && /^--?(?:version|v)$/i.test(name);
}

function newNode(): CommandNode {
  return { options: NO_OPTIONS, before: NO_OPTIONS, modes: [], named: new Map(), patterns: [] };
}

const NO_OPTIONS: OptionTable = new Map();

function fill(
  nodes: readonly CommandNode[],
  { naming = {}, options, with: modes = {}, usual, ...own }: CommandEntry,
  style: Style | undefined,
): void {
  const spellings = Object.keys(modes);
  const hasOptions = options !== undefined || spellings.length > 0;
  const named = Object.entries(naming).flatMap(([words, adds]) =>
    words.split(" ").map((word) => [patternOf(word), adds] as const),
  );
  const said = {
    ...pick(own),
    ...(named.length === 0 ? {} : { naming: named }),
    ...(hasOptions ? { options: optionTable(options, style, spellings) } : {}),
    ...(usual === undefined ? {} : { usual: optionsNamed(usual, style) }),
  };
  const known = Object.entries(modes).map(([spelling, one]) => {
    const mode = newNode();
    fill([mode], entryOf(one), style);
    return [optionTable({ plain: spelling }, style), mode] as const;
  });
  for (const node of nodes) Object.assign(node, said).modes.push(...known);
}

function pick({ does, alone, operands, default: file }: CommandEntry): Partial<CommandNode> {
  return Object.fromEntries(
    Object.entries({ does, alone, operands, default: file }).filter(([, said]) => said !== undefined),
  );
}

function entryOf(said: string | CommandEntry): CommandEntry {
  return typeof said === "string" ? { does: said } : said;
}

function childOf(node: CommandNode, word: string): CommandNode {
  const known = word.includes("*")
    ? node.patterns.find(([, , written]) => written === word)?.[1]
    : node.named.get(word);
  if (known !== undefined) return known;
  const child = newNode();
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
