import { isDestruction } from "./capabilities.ts";
import { type CommandNode, commandTree, subcommandOf, wordsThatDo } from "./command-tree.ts";
import type { ProgramEntry } from "./entry.ts";
import { proves } from "./scripts.ts";
import { endOfOptions, type OptionTable, optionsIn, optionTable } from "./spellings.ts";
import { capabilityOf } from "./statements.ts";

/** What a command does, as far as its entry says. */
export interface Reading {
  readonly program: string;
  /** The words of its subcommand. */
  readonly words: readonly string[];
  /** Capabilities; empty where it only says something about itself. */
  readonly does: readonly string[];
  /** Whether every word is known, so that it does nothing else. */
  readonly isWhole: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  /** Other commands that it runs here. */
  readonly runs: readonly (readonly string[])[];
  /** Statements for a database. */
  readonly statements: readonly string[];
  readonly hosts: readonly string[];
}

/** Finds the reading of another command, for one that runs it. */
export type ReadOther = (argv: readonly string[]) => Reading | undefined;

const ABOUT_ITSELF = /^(?:--version|--help|version|help)$/;

/** Reads a command by the entry of its program. */
export function readByEntry(entry: ProgramEntry, argv: readonly string[], readOther: ReadOther): Reading {
  const parts = new Parts(entry);
  const words = argv.slice(1);
  if (words.length === 1 && ABOUT_ITSELF.test(words[0] ?? "")) return parts.aboutItself();
  parts.take(words);
  return parts.reading(readOther);
}

const trees = new WeakMap<ProgramEntry, CommandNode>();

function treeOf(entry: ProgramEntry): CommandNode {
  const known = trees.get(entry);
  if (known !== undefined) return known;
  const tree = commandTree(entry);
  trees.set(entry, tree);
  return tree;
}

/** What the words of one command turned out to be. */
class Parts {
  readonly #entry: ProgramEntry;
  #node: CommandNode;
  readonly #tables: OptionTable[];
  #does: string | undefined;
  #alone: string | undefined;
  #kinds: readonly string[] | undefined;
  #naming: CommandNode["naming"] = [];
  readonly #path: string[] = [];
  readonly #operands: string[] = [];
  readonly #makes: string[] = [];
  readonly #adds: string[] = [];
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  readonly #deletes: string[] = [];
  readonly #statements: string[] = [];
  readonly #hosts: string[] = [];
  readonly #runs: (readonly string[])[] = [];
  readonly #unread: string[] = [];
  #isWhole = true;

  constructor(entry: ProgramEntry) {
    this.#entry = entry;
    this.#node = treeOf(entry);
    this.#tables = [this.#node.options];
    this.#enter(this.#node);
    if (entry.before !== undefined) this.#tables.unshift(optionTable(entry.before, entry.style));
  }

  aboutItself(): Reading {
    this.#does = "nothing";
    return this.reading(() => undefined);
  }

  take(words: readonly string[]): void {
    let isOver = false;
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? "";
      if (!isOver && word === "--") {
        isOver = true;
        this.#makes.push(...(endOfOptions(this.#tables)?.makes?.split(" ") ?? []));
      } else if (!isOver && /^-./s.test(word)) at += this.#option(words, at);
      else if (this.#operand(word, isOver)) {
        this.#runs.push(words.slice(at));
        return;
      }
    }
  }

  #enter({ does, alone, operands, naming, options }: CommandNode): void {
    if (does !== undefined) [this.#does, this.#alone] = [does, undefined];
    if (alone !== undefined) this.#alone = alone;
    if (operands !== undefined) this.#kinds = operands.split(" ");
    if (naming !== undefined) this.#naming = naming;
    if (options.size > 0 && !this.#tables.includes(options)) this.#tables.unshift(options);
  }

  /** Gives how many further words belong to it. */
  #option(words: readonly string[], at: number): number {
    const word = words[at] ?? "";
    let taken = 0;
    for (const { option, value, takesNext, isBegun } of optionsIn(
      word,
      words[at + 1],
      this.#tables,
      this.#entry.style ?? "gnu",
    )) {
      if (takesNext) taken = 1;
      if (option === undefined || isBegun === true) {
        this.#isWhole = false;
        this.#unread.push(word);
      }
      if (option === undefined) continue;
      if (option.value === "none" && value !== undefined) this.#names(value);
      if (isBegun === true) this.#adds.push(option.makes ?? option.adds ?? "");
      else if (option.makes !== undefined) this.#makes.push(option.makes);
      else if (option.adds !== undefined) this.#adds.push(option.adds);
      if (option.meaning === "commands") return this.#commandUpToEnd(words, at);
      if (option.meaning === "runs") {
        this.#adds.push("code.run");
        this.#isWhole = false;
      } else if (value !== undefined && option.meaning !== "plain") this.#file(option.meaning, value);
    }
    return taken;
  }

  #commandUpToEnd(words: readonly string[], at: number): number {
    const end = words.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    this.#runs.push(words.slice(at + 1, end === -1 ? undefined : end));
    return (end === -1 ? words.length : end) - at;
  }

  /** Says whether a command begins with it. */
  #operand(word: string, isOver: boolean): boolean {
    const next = isOver || this.#operands.length > 0 ? undefined : subcommandOf(this.#node, word);
    if (next !== undefined) {
      if (this.#path.length === 0 && this.#entry.before !== undefined) this.#tables.shift();
      this.#node = next;
      this.#path.push(word);
      this.#enter(next);
      return false;
    }
    const kinds = this.#kinds;
    const kind = kinds?.[Math.min(this.#operands.length, kinds.length - 1)];
    this.#operands.push(word);
    this.#names(word);
    if (kind === "command") return true;
    if (kind === undefined || kind === "none") {
      this.#isWhole = false;
      this.#unread.push(word);
    } else this.#file(kind, word);
    return false;
  }

  #names(word: string): void {
    for (const [operand, adds] of this.#naming ?? []) if (operand.test(word)) this.#adds.push(adds);
  }

  #file(kind: string, value: string): void {
    if (kind === "statements") this.#statements.push(value);
    else if (kind === "hosts") this.#hosts.push(value);
    else if (kind === "sed" || kind === "awk" || kind === "jq") this.#isWhole &&= proves(kind, value);
    else if (kind === "text" || kind === "copied" || kind === "moved" || value === "-") return;
    else if (kind === "written" || kind === "writes") this.#writes.push(value);
    else if (kind === "deleted") this.#deletes.push(value);
    else if (/^[a-z][a-z\d+.-]*:\/\//i.test(value)) this.#adds.push("net.read");
    else this.#reads.push(value);
  }

  /** Of what is copied or moved the last operand is the target. */
  #copied(): void {
    const kind = this.#kinds?.at(-1);
    if (kind !== "copied" && kind !== "moved") return;
    const sources = this.#operands.slice(0, -1);
    this.#reads.push(...sources);
    this.#writes.push(...this.#operands.slice(-1));
    if (kind === "moved") this.#deletes.push(...sources);
  }

  reading(readOther: ReadOther): Reading {
    this.#copied();
    const inner = this.#runs.map((argv) => readOther(argv));
    const said = this.#operands.length === 0 ? (this.#alone ?? this.#does) : this.#does;
    const own = this.#makes.length > 0 ? this.#makes : [said ?? this.#entry.otherwise];
    const isOpen = said === undefined;
    const does = [...own, ...this.#adds, ...this.#statements.map(capabilityOf)].join(" ").split(" ");
    const isWhole = this.#isWhole && !isOpen && inner.every((one) => one?.isWhole === true);
    if (!isWhole) does.push(...this.#entry.otherwise.split(" "), ...this.#worstNamed());
    for (const [index, one] of inner.entries())
      does.push(...(one?.does ?? (this.#runs[index]?.length === 0 ? [] : ["code.run"])));
    return {
      program: this.#entry.program,
      words: this.#path,
      does: [...new Set(does)].filter((one) => one !== "nothing" && one !== ""),
      isWhole,
      reads: this.#reads,
      writes: this.#writes,
      deletes: this.#deletes,
      runs: this.#runs,
      statements: this.#statements,
      hosts: this.#hosts,
    };
  }

  /** Where words are not known, any of them may be the subcommand. */
  #worstNamed(): readonly string[] {
    const destroying = wordsThatDo(treeOf(this.#entry), isDestruction);
    const words = [...this.#operands, ...this.#unread, ...this.#path];
    return destroying.filter(([pattern]) => words.some((word) => pattern.test(word))).map(([, does]) => does);
  }
}
