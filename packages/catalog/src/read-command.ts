import { isDestruction, isKnownByFiles } from "./capabilities.ts";
import { type CommandNode, doneByWords, kindAt, subcommandsOf, treeOf } from "./command-tree.ts";
import { DashedWords } from "./dashed-words.ts";
import type { ProgramEntry } from "./entry.ts";
import { InnerCommands } from "./inner-commands.ts";
import { NamedThings } from "./named-things.ts";
import type { GivenCommand, Reading, ReadOther } from "./reading.ts";
import {
  askedAboutItself,
  bareOption,
  findOption,
  mayBecomeOption,
  type OptionTable,
  optionsIn,
  type WrittenOption,
  withDashes,
} from "./spellings.ts";

/** Reads a command by the entry of its program. */
export function readByEntry(entry: ProgramEntry, command: GivenCommand, readOther: ReadOther): Reading {
  const parts = new Parts(entry, command);
  const question = askedAboutItself(command.argv, entry.commands !== undefined);
  if (question !== undefined && !parts.hasOwn(question)) return parts.aboutItself();
  parts.take();
  return parts.reading(readOther);
}

/** Kinds of operands that are no program or statement, whatever they begin with. */
const FILES_OR_TEXT = /^(?:text|files|listed|written|deleted|removed|copied|moved)$/;

/** After the name of a script, a question about the program is one for the script, which runs. */
const RUNS = /\b(?:code|package|remote)\.run\b/;
const QUESTION = /^(?:-[hHvV?]|--(?:help|version))$/;

/** What the words of one command turned out to be. */
class Parts {
  readonly #entry: ProgramEntry;
  readonly #given: GivenCommand;
  /** The subcommand, and patterns that stand for its words. */
  #nodes: readonly CommandNode[];
  /** Of the subcommand first. */
  readonly #tables: OptionTable[] = [];
  /** Those of options that stand before the subcommand. */
  readonly #before: OptionTable;
  /** Those of modes, which say how many words belong to an option. */
  readonly #modeTables: OptionTable[] = [];
  readonly #modes: CommandNode["modes"][number][] = [];
  #does: string | undefined;
  #alone: string | undefined;
  #kinds: readonly string[] | undefined;
  #default: string | undefined;
  #naming: NonNullable<CommandNode["naming"]> = [];
  readonly #path: string[] = [];
  readonly #options: WrittenOption[] = [];
  readonly #operands: { readonly word: string; readonly isWild: boolean }[] = [];
  readonly #makes: string[] = [];
  readonly #adds: string[] = [];
  readonly #inner = new InnerCommands();
  readonly #named = new NamedThings();
  readonly #dashed: DashedWords;
  readonly #unread: string[] = [];
  #isWhole = true;
  /** After an operand, or a word that a pattern stands for. */
  #isGiven = false;
  /** After an option that begins another command. */
  #passesOn = false;

  constructor(entry: ProgramEntry, command: GivenCommand) {
    this.#entry = entry;
    this.#given = command;
    this.#nodes = [treeOf(entry)];
    this.#dashed = new DashedWords(treeOf(entry));
    this.#enter(treeOf(entry));
    this.#before = treeOf(entry).before;
    this.#tables.unshift(this.#before);
  }

  /** Some load code of the project even to tell their version, and their entries say so. */
  hasOwn(word: string): boolean {
    const isSaid = subcommandsOf(this.#nodes, word).some(({ does }) => does !== undefined);
    return isSaid || findOption(word, this.#known)?.makes !== undefined;
  }

  aboutItself(): Reading {
    this.#does = "nothing";
    this.#dashed.add("", 1, []);
    return this.reading(() => undefined);
  }

  take(): void {
    const { argv, expands = [] } = this.#given;
    const words = this.#entry.style === "letters" ? withDashes(argv, this.#known) : argv;
    const shift = words.length - argv.length;
    let isOver = this.#entry.style === "text";
    for (let at = 1; at < words.length; at += 1) {
      const word = words[at] ?? "";
      const isWild = expands.includes(at - shift);
      if (!isOver && word === "--") {
        isOver = true;
        const end = findOption(word, this.#known) === undefined ? [] : [{ name: word, takesNext: false }];
        this.#options.push(...end);
        this.#dashed.add(word, at - shift, end);
      } else if (!isOver && /^-./s.test(word)) {
        if (isWild && mayBecomeOption(word)) this.#isNotWhole(word);
        const first = this.#options.length;
        const taken = this.#option(words, at);
        this.#dashed.add(word, at - shift, this.#options.slice(first));
        if (expands.some((index) => index > at - shift && index <= at - shift + taken))
          this.#isNotWhole(word);
        at += taken;
        if (this.#passesOn) {
          this.#inner.takeRest({ argv: words, expands }, { at: at + 1, shift, isFed: this.#isFed });
          return;
        }
      } else if (this.#operand(word, { at: at - shift, isOver, isWild })) {
        this.#inner.takeRest({ argv: words, expands }, { at, shift, isFed: this.#isFed });
        return;
      }
    }
  }

  get #isFed(): boolean {
    return this.#kinds?.includes("fed") === true;
  }

  get #known(): readonly OptionTable[] {
    return [...this.#tables, ...this.#modeTables];
  }

  #enter({ does, alone, operands, default: file, naming, options, modes }: CommandNode): void {
    if (does !== undefined) [this.#does, this.#alone] = [does, undefined];
    if (alone !== undefined) this.#alone = alone;
    if (operands !== undefined) this.#kinds = operands.split(" ");
    if (file !== undefined) this.#default = file;
    if (naming !== undefined) this.#naming = naming;
    if (options.size > 0 && !this.#tables.includes(options)) this.#tables.unshift(options);
    this.#modes.unshift(...modes);
    this.#modeTables.unshift(...modes.map(([, mode]) => mode.options));
  }

  #isNotWhole(word: string): void {
    this.#isWhole = false;
    this.#unread.push(word);
  }

  /** Gives how many further words belong to it. */
  #option(words: readonly string[], at: number): number {
    const word = words[at] ?? "";
    let taken = 0;
    for (const written of optionsIn(word, words[at + 1], this.#known, this.#entry.style ?? "gnu")) {
      if (written.name === undefined || written.isBegun === true) this.#isNotWhole(word);
      this.#options.push(this.#isGiven ? { ...written, isLate: true } : written);
      const option = findOption(written.name ?? "", this.#known);
      if (written.takesNext) taken = option?.value === "two" ? 2 : 1;
      if (taken === 2) this.#options.push({ ...written, value: words[at + 2] ?? "" });
      if (option?.meaning === "commands") return this.#inner.takeUpToEnd(words, at);
      if (this.#passesOn && option?.meaning !== "rest") this.#isNotWhole(word);
      this.#passesOn ||= option?.meaning === "rest";
    }
    return taken;
  }

  /** Says whether a command begins with it. */
  #operand(word: string, { at, isOver, isWild }: { at: number; isOver: boolean; isWild: boolean }): boolean {
    const bare = isOver ? undefined : bareOption(word, this.#known);
    if (bare !== undefined) {
      this.#options.push(bare);
      return false;
    }
    const next = isOver || this.#operands.length > 0 ? [] : subcommandsOf(this.#nodes, word);
    this.#isGiven ||= !this.#nodes.some(({ named }) => named.has(word));
    if (next.length > 0) {
      if (this.#path.length === 0) this.#leaveBefore();
      this.#nodes = next;
      this.#dashed.enter(next);
      this.#path.push(word);
      for (const node of next.toReversed()) this.#enter(node);
      return false;
    }
    if (isWild && !isOver && mayBecomeOption(word)) this.#isNotWhole(word);
    const kind = kindAt(this.#mode()?.operands?.split(" ") ?? this.#kinds, this.#operands.length);
    this.#operands.push({ word, isWild });
    if (isOver && FILES_OR_TEXT.test(kind ?? "")) this.#dashed.add(word, at, []);
    this.#dashed.leave();
    return this.#inner.begins(kind);
  }

  /** After the subcommand the same letters may be other options. */
  #leaveBefore(): void {
    for (const written of this.#options.splice(0)) {
      if (this.#entry.before !== undefined || this.#before.has(written.name ?? "")) this.#meant(written);
      else this.#options.push(written);
    }
    this.#tables.splice(this.#tables.indexOf(this.#before), 1);
  }

  /** What the options that are seen make of it. */
  #mode(): CommandNode | undefined {
    return this.#modes.find(([options]) =>
      this.#options.some(({ name = "", value }) => {
        const option = findOption(name, [options], value);
        return option !== undefined && option.meaning !== "unknown";
      }),
    )?.[1];
  }

  /** Now that all words are seen: what the options mean together, and what the operands are with them. */
  #settle(): void {
    const mode = this.#mode();
    this.#modeTables.length = 0;
    if (mode !== undefined) this.#enter(mode);
    const isFirstGiven = this.#options.map((written) => this.#meant(written)).includes("first");
    const kinds = isFirstGiven ? this.#kinds?.slice(1) : this.#kinds;
    for (const [index, { word, isWild }] of this.#operands.entries()) {
      const kind = kindAt(kinds, index);
      // A pattern may become several words, or none.
      const isLast = kinds !== undefined && index >= kinds.length - 1;
      const isTarget = /^(?:copied|moved)$/.test(kind ?? "") && index === this.#operands.length - 1;
      if (kind === undefined || kind === "none" || (isWild && (!isLast || isTarget))) this.#isNotWhole(word);
      if (kind !== undefined && !/^(?:command|fed|elsewhere)$/.test(kind)) this.#named.add(kind, word);
      this.#names(word);
    }
    const isNamed = this.#operands.length >= (kinds?.length ?? 0);
    if (this.#default !== undefined && !isNamed) this.#named.add(kinds?.at(-1) ?? "text", this.#default);
    const operands = this.#operands.map(({ word }) => word);
    if (this.#isWhole) this.#named.addCopied(kinds?.at(-1), operands);
    else this.#named.addPossible(kinds?.at(-1), operands, this.#unread);
  }

  #meant({ name, value, isBegun, isLate }: WrittenOption): "first" | undefined {
    if (name === undefined) return undefined;
    const option = findOption(name, this.#tables, value);
    if (option === undefined || option.meaning === "unknown") {
      this.#isNotWhole(name);
      return undefined;
    }
    const { meaning, makes, adds, isFirst } = option;
    if (option.value === "none" && value !== undefined) this.#names(value);
    const isForScript = isLate === true && RUNS.test(this.#does ?? "") && QUESTION.test(name);
    if (isBegun === true || isForScript) this.#adds.push(makes ?? adds ?? "");
    else if (makes !== undefined) this.#makes.push(makes);
    else if (adds !== undefined) this.#adds.push(adds);
    if (meaning === "runs") {
      this.#adds.push("code.run");
      this.#isNotWhole(name);
    } else if (value !== undefined) {
      const kind = isFirst === true ? (kindAt(this.#kinds, 0) ?? "text") : "text";
      this.#named.add(meaning === "plain" ? kind : meaning, value);
    }
    return isFirst === true ? "first" : undefined;
  }

  #names(word: string): void {
    for (const [operand, adds] of this.#naming) if (operand.test(word.toLowerCase())) this.#adds.push(adds);
  }

  reading(readOther: ReadOther): Reading {
    this.#settle();
    const { runs, isElsewhere } = this.#inner;
    const inner = runs.map((run) => readOther({ ...run, parsed: this.#given.parsed ?? [] }));
    if (!isElsewhere) this.#named.addInner(inner.filter((one) => one !== undefined));
    const said = this.#operands.length === 0 ? (this.#alone ?? this.#does) : this.#does;
    const stated = this.#named.stated(this.#entry.dialect, this.#given);
    for (const database of stated.elsewhere) this.#isNotWhole(database);
    const isKnown = said !== undefined && (said !== "statements" || stated.does.length > 0);
    const own = this.#makes.length > 0 ? this.#makes : [said ?? (this.#isWhole ? this.#entry.otherwise : "")];
    const isOpen = !isKnown && this.#makes.length === 0;
    const does = [...own, ...this.#adds, ...this.#named.does, ...stated.does].join(" ").split(" ");
    const otherwise = this.#entry.otherwise.split(" ");
    const isOfFiles = isKnownByFiles(isOpen ? [...does, ...otherwise] : does);
    const plain = this.#dashed.plain(this.#tables, this.#modes, isOfFiles);
    const isAllRead = this.#isWhole && this.#inner.isAll && !isOpen && this.#named.unclear.length === 0;
    const isWhole = isAllRead && inner.every((one) => one?.isWhole === true);
    const feared = isWhole ? [] : [...otherwise, ...this.#worstNamed()];
    const follows = this.#inner.done(inner);
    const files = this.#named.files(stated, inner);
    const all = [...new Set([...does, ...feared, ...follows])];
    const done = all.filter((one) => !/^(?:nothing|statements|)$/.test(one));
    const isLooking = done.length === 0 && files.reads.length + files.lists.length > 0;
    return {
      program: this.#entry.program,
      words: this.#path,
      does: isLooking ? ["local.read"] : done,
      feared: feared.filter((one) => !does.includes(one) && !follows.includes(one)),
      isWhole,
      isFilter: isWhole && this.#entry.filter === true && done.length === 0 && !isLooking,
      unknown: [...this.#unread, ...this.#named.unclear],
      unclear: this.#named.unclear,
      plain: [...plain, ...this.#inner.usual(inner)],
      runs: isElsewhere ? [] : runs.map(({ argv }) => argv),
      ...files,
    };
  }

  /** Where words are not known, any of them may be words of the subcommand. */
  #worstNamed(): readonly string[] {
    const words = [...this.#operands.map(({ word }) => word), ...this.#unread, ...this.#path];
    return doneByWords(treeOf(this.#entry), words, isDestruction).flatMap((does) => does.split(" "));
  }
}
