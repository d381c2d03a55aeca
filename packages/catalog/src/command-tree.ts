import type { CommandEntry, ProgramEntry } from "./entry.ts";
import { type OptionTable, optionTable } from "./spellings.ts";

/** A subcommand and what may follow it. */
export interface CommandNode {
  does?: string;
  alone?: string;
  operands?: string;
  options: OptionTable;
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
  return root;
}

function newNode(): CommandNode {
  return { options: NO_OPTIONS, named: new Map(), patterns: [] };
}

const NO_OPTIONS: OptionTable = new Map();

function fill(
  node: CommandNode,
  { does, alone, operands, options }: CommandEntry,
  style: ProgramEntry["style"],
): void {
  if (does !== undefined) node.does = does;
  if (alone !== undefined) node.alone = alone;
  if (operands !== undefined) node.operands = operands;
  if (options !== undefined) node.options = optionTable(options, style);
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

/** A pattern of one word, in which `*` stands for any characters. */
export function patternOf(word: string): RegExp {
  const parts = word.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

/** The subcommand that a word names after another; `undefined` where it is an operand. */
export function subcommandOf(node: CommandNode, word: string): CommandNode | undefined {
  return node.named.get(word) ?? node.patterns.find(([pattern]) => pattern.test(word))?.[1];
}

/** The last words of all subcommands that do one of these, each with what it does. */
export function wordsThatDo(
  node: CommandNode,
  isMeant: (does: string) => boolean,
): readonly (readonly [word: RegExp, does: string])[] {
  const children = [
    ...[...node.named].map(([word, child]) => [patternOf(word), child] as const),
    ...node.patterns.map(([pattern, child]) => [pattern, child] as const),
  ];
  return children.flatMap(([pattern, child]) => [
    ...(child.does !== undefined && isMeant(child.does) ? [[pattern, child.does] as const] : []),
    ...wordsThatDo(child, isMeant),
  ]);
}
