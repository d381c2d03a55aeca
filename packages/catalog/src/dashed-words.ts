import { isLook } from "./capabilities.ts";
import type { CommandNode, ProgramNode } from "./command-tree.ts";
import { findOption, type OptionTable, type WrittenOption } from "./spellings.ts";

interface DashedWord {
  readonly at: number;
  readonly options: readonly WrittenOption[];
  readonly isUsual: boolean;
  /** It stands before the subcommand, where it means something else than after it. */
  readonly isEarly: boolean;
}

/** The args of a command that begin with a dash, and those of them with which it does nothing else than without. */
export class DashedWords {
  readonly #root: ProgramNode;
  readonly #seen: DashedWord[] = [];
  #usual: CommandNode["usual"];
  #usualBefore: CommandNode["usual"];
  #isEarly = true;

  constructor(root: ProgramNode) {
    this.#root = root;
    this.#usual = root.usual;
    this.#usualBefore = root.usualBefore;
  }

  /** After a subcommand: one of a group may have the options of all. */
  enter(nodes: readonly CommandNode[]): void {
    this.#usual = nodes.find(({ usual }) => usual !== undefined)?.usual ?? this.#usual;
    this.#isEarly = false;
    this.leave();
  }

  /** After the first word that is no option. */
  leave(): void {
    this.#usualBefore = undefined;
  }

  add(word: string, at: number, options: readonly WrittenOption[]): void {
    const isEarly = this.#isEarly && options.some(({ name = "" }) => this.#root.before.has(name));
    const usual = this.#usualBefore ?? this.#usual;
    const isUsual = usual !== undefined && (word === "--" || usual(word));
    this.#seen.push({ at, options, isUsual, isEarly });
  }

  /** Their indexes. Nothing follows from plain options of a command of which its files tell what it does. */
  plain(
    tables: readonly OptionTable[],
    modes: CommandNode["modes"],
    isKnownByFiles: boolean,
  ): readonly number[] {
    const isPlain = ({ options, isEarly }: DashedWord) =>
      isKnownByFiles && !isEarly && options.every((written) => changesNothing(written, tables, modes));
    return this.#seen.filter((word) => word.isUsual || isPlain(word)).map(({ at }) => at);
  }
}

function changesNothing(
  { name = "", value, isBegun }: WrittenOption,
  tables: readonly OptionTable[],
  modes: CommandNode["modes"],
): boolean {
  const option = findOption(name, tables, value);
  if (option?.meaning !== "plain" || isBegun === true) return false;
  const mode = modes.find(([options]) => findOption(name, [options], value) !== undefined)?.[1];
  const { makes = "", adds = "" } = option;
  return isLook(`${makes} ${adds} ${mode?.does ?? ""}`) && !CHANGING.test(mode?.operands ?? "");
}

/** Operands that are written, deleted or run. */
const CHANGING = /written|edited|deleted|removed|copied|moved|command|elsewhere|fed/;
