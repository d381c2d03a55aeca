import type { CommandEntry, ProgramEntry } from "./entry.ts";
import { type OptionTable, optionTable, type Style } from "./spellings.ts";
import { patternOf } from "./word-pattern.ts";

/** A subcommand and what may follow it. */
export interface CommandNode {
  does?: string | undefined;
  alone?: string | undefined;
  operands?: string | undefined;
  /** What it does besides, by operands. */
  naming?: readonly (readonly [operand: RegExp, does: string])[] | undefined;
  options: OptionTable;
  /** What it is with one of these options; the first one that is written counts. */
  readonly modes: (readonly [options: OptionTable, node: CommandNode])[];
  readonly named: Map<string, CommandNode>;
  /** Words with a `*`, the most specific first. */
  readonly patterns: (readonly [pattern: RegExp, node: CommandNode, written: string])[];
}

/** The subcommands of a program, word by word. */
export function commandTree(entry: ProgramEntry): CommandNode {
  const { style, commands = {} } = entry;
  const root = newNode();
  fill(root, entry, style);
  for (const [words, said] of Object.entries(commands)) {
    let nodes = [root];
    for (const word of words.split(" "))
      nodes = nodes.flatMap((node) => word.split("|").map((one) => childOf(node, one)));
    for (const node of nodes) fill(node, typeof said === "string" ? { does: said } : said, style);
  }
  share(root);
  return root;
}

/** What a pattern says holds for each word that it stands for, as far as the word says nothing else. */
function share(node: CommandNode): void {
  const { named, patterns } = node;
  const children = [...named, ...patterns.map(([, child, written]) => [written, child] as const)];
  for (const [word, child] of children) {
    for (const [pattern, from] of patterns) if (from !== child && pattern.test(word)) complete(child, from);
    share(child);
  }
}

function complete(node: CommandNode, from: CommandNode): void {
  if (node.does === undefined) node.alone ??= from.alone;
  node.does ??= from.does;
  node.operands ??= from.operands;
  node.naming ??= from.naming;
  if (node.options === NO_OPTIONS) {
    node.options = from.options;
    node.modes.push(...from.modes);
  }
  for (const [word, child] of from.named) complete(childOf(node, word), child);
  for (const [, child, written] of from.patterns) complete(childOf(node, written), child);
}

function newNode(): CommandNode {
  return { options: NO_OPTIONS, modes: [], named: new Map(), patterns: [] };
}

const NO_OPTIONS: OptionTable = new Map();

function fill(
  node: CommandNode,
  { does, alone, operands, naming, options, with: modes = {} }: CommandEntry,
  style: Style | undefined,
): void {
  if (does !== undefined) node.does = does;
  if (alone !== undefined) node.alone = alone;
  if (operands !== undefined) node.operands = operands;
  if (naming !== undefined)
    node.naming = Object.entries(naming).flatMap(([words, adds]) =>
      words.split(" ").map((word) => [patternOf(word), adds] as const),
    );
  const spellings = Object.keys(modes);
  if (options !== undefined || spellings.length > 0) node.options = optionTable(options, style, spellings);
  for (const [spelling, said] of Object.entries(modes)) {
    const mode = newNode();
    fill(mode, typeof said === "string" ? { does: said } : said, style);
    node.modes.push([optionTable({ plain: spelling }, style), mode]);
  }
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

/** The subcommand that a word names after another; `undefined` where it is an operand. */
export function subcommandOf(node: CommandNode, word: string): CommandNode | undefined {
  return node.named.get(word) ?? node.patterns.find(([pattern]) => pattern.test(word))?.[1];
}

/** The words of all subcommands that do one of these, each with what it does. */
export function wordsThatDo(
  node: CommandNode,
  isMeant: (does: string) => boolean,
  before: readonly RegExp[] = [],
): readonly (readonly [words: readonly RegExp[], does: string])[] {
  const children = [
    ...[...node.named].map(([word, child]) => [patternOf(word), child] as const),
    ...node.patterns.map(([pattern, child]) => [pattern, child] as const),
  ];
  return children.flatMap(([pattern, child]) => {
    const words = [...before, pattern];
    const own = child.does !== undefined && isMeant(child.does) ? [[words, child.does] as const] : [];
    return [...own, ...wordsThatDo(child, isMeant, words)];
  });
}
