import { entryOf, nameIn } from "../../packages/catalog/src/catalog.ts";
import { type CommandNode, kindAt, subcommandsOf, treeOf } from "../../packages/catalog/src/command-tree.ts";
import { bareOption, findOption, type OptionTable, optionsIn } from "../../packages/catalog/src/spellings.ts";
import type { LineWord } from "./line-parts.ts";

/** An option with its values, or another word of a command. */
export interface Item {
  readonly words: readonly LineWord[];
  /** How it is written, if it is an option: its value follows, is joined to it, or there is none. */
  readonly option?: "apart" | "joined" | "bare";
}

/** The parts of a line, by what they are. */
export interface Items {
  /** The program, its options, and its subcommand. */
  readonly before: readonly LineWord[];
  readonly items: readonly Item[];
  /** All that stands after `--`, with it. */
  readonly after: readonly LineWord[];
}

const RUNNING = /^(?:commands|rest|runs)$/;

/** Takes a command apart by the entry of its program; `undefined` where something in it is not known. */
export function itemsOf(words: readonly LineWord[]): Items | undefined {
  const values = words.map(({ value }) => value);
  const entry = entryOf(nameIn(values));
  if (entry === undefined || (entry.style ?? "gnu") !== "gnu") return undefined;
  const root = treeOf(entry);
  let nodes: CommandNode[] = [root];
  const tables: OptionTable[] = [root.before, root.options];
  const modeTables = () => nodes.flatMap(({ modes }) => modes.map(([, mode]) => mode.options));
  let kinds = root.operands?.split(" ");
  let begin = 1;
  let items: Item[] = [];
  for (let at = 1; at < values.length; at += 1) {
    const word = values[at] ?? "";
    const known = [...tables, ...modeTables()];
    if (word === "--") return { before: words.slice(0, begin), items, after: words.slice(at) };
    if (/^-./s.test(word)) {
      const option = optionItem(words.slice(at), known);
      if (option === undefined) return undefined;
      items.push(option);
      at += option.words.length - 1;
      continue;
    }
    if (bareOption(word, known) !== undefined) return undefined;
    const next = items.some(({ option }) => option === undefined) ? [] : [...subcommandsOf(nodes, word)];
    if (next.length > 0) {
      nodes = next;
      tables.unshift(...next.map(({ options }) => options));
      kinds = next[0]?.operands?.split(" ") ?? kinds;
      [begin, items] = [at + 1, []];
      continue;
    }
    const count = items.filter(({ option }) => option === undefined).length;
    if (/^(?:command|fed|elsewhere)$/.test(kindAt(kinds, count) ?? "")) return undefined;
    items.push({ words: words.slice(at, at + 1) });
  }
  return { before: words.slice(0, begin), items, after: [] };
}

function optionItem(words: readonly LineWord[], tables: readonly OptionTable[]): Item | undefined {
  const [word = "", next] = words.map(({ value }) => value);
  const written = optionsIn(word, next, tables, "gnu");
  const isKnown = written.every(({ name = "", isBegun }) => {
    const meaning = findOption(name, tables)?.meaning;
    return meaning !== undefined && !RUNNING.test(meaning) && name !== "-#" && isBegun !== true;
  });
  const last = written.at(-1);
  const kind = findOption(last?.name ?? "", tables)?.value;
  if (!isKnown || last === undefined || kind === "two") return undefined;
  if (last.takesNext) return { words: words.slice(0, 2), option: "apart" };
  const isJoined = kind === "next" && last.value !== undefined && written.length === 1;
  return { words: words.slice(0, 1), option: isJoined ? "joined" : "bare" };
}
