import type { OptionEntry } from "./entry.ts";

type Meaning = "plain" | "reads" | "writes" | "runs" | "statements" | "commands";

/** What is known of one option. */
interface KnownOption {
  readonly meaning: Meaning;
  /** `next`: its value is the rest of the word, or the next word. `attached`: only the rest of the word. */
  readonly value: "none" | "next" | "attached";
  readonly makes?: string;
  readonly adds?: string;
}

/** The options of a program by their spelling, without a value. */
export type OptionTable = ReadonlyMap<string, KnownOption>;

const MEANINGS = ["plain", "reads", "writes", "runs", "statements", "commands"] as const;

/**
 * Reads the notation of options: `-abc` are three flags, `-n:` has a value in the same word or the next, `-i?` may have
 * one in the same word; `--name`, `--name=` and `--name?` likewise; `-#` is a number, as in `-20`. In the style `words`
 * there are no groups, and `-name=` has a value. `--name=text` and `-n=text` are options with exactly this value, in the
 * same word or the next. `--[no-]name` are two options. `--` stands for itself, and `--*` for any other long option, whose
 * value may follow as an operand. An option may be in several lists.
 */
export function optionTable(entry: OptionEntry = {}, style: "gnu" | "words" = "gnu"): OptionTable {
  const table = new Map<string, KnownOption>();
  const add = (spellings: string, option: Pick<KnownOption, "meaning" | "makes" | "adds">) => {
    for (const spelling of spellings.split(" "))
      for (const [name, value] of bothOf(spelling).flatMap((one) => namesOf(one, style))) {
        const { meaning = option.meaning } = table.get(name) ?? {};
        table.set(name, { ...option, meaning, value });
      }
  };
  for (const meaning of MEANINGS) if (entry[meaning] !== undefined) add(entry[meaning], { meaning });
  for (const [spellings, makes] of Object.entries(entry.makes ?? {}))
    add(spellings, { meaning: "plain", makes });
  for (const [spellings, adds] of Object.entries(entry.adds ?? {}))
    add(spellings, { meaning: "plain", adds });
  return table;
}

type Named = readonly [name: string, value: KnownOption["value"]];

const ENDS: Readonly<Record<string, KnownOption["value"]>> = { ":": "next", "=": "next", "?": "attached" };

/** What turns an option off has no value. */
function bothOf(spelling: string): readonly string[] {
  const [, name] = /^--\[no-\](.+)$/.exec(spelling) ?? [];
  return name === undefined ? [spelling] : [`--${name}`, `--no-${name.replace(/[=?]$/, "")}`];
}

function namesOf(spelling: string, style: "gnu" | "words"): readonly Named[] {
  const end = ENDS[spelling.at(-1) ?? ""];
  const name = end === undefined ? spelling : spelling.slice(0, -1);
  if (spelling.startsWith("--") || style === "words" || /^-(?:#$|.=.)/.test(spelling))
    return [[name, end ?? "none"]];
  if (end !== undefined) return [[name, end]];
  return [...name.slice(1)].map((letter) => [`-${letter}`, "none"]);
}

/** One option of a command as it is written, with what is known of it. */
export interface WrittenOption {
  /** `undefined`: it is not known. */
  readonly option: KnownOption | undefined;
  readonly value?: string;
  /** Whether its value is the next word. */
  readonly takesNext: boolean;
  /** Only its beginning is written, so it may be another option. */
  readonly isBegun?: true;
}

const UNKNOWN: WrittenOption = { option: undefined, takesNext: false };

/** Takes a word that begins with a dash apart. Several options may stand in it. */
export function optionsIn(
  word: string,
  next: string | undefined,
  tables: readonly OptionTable[],
  style: "gnu" | "words",
): readonly WrittenOption[] {
  if (/^-\d+$/.test(word)) {
    const number = find("-#", tables);
    if (number !== undefined) return [{ option: number, takesNext: false }];
  }
  if (word.startsWith("--") || style === "words") return [longOption(word, next, tables, style)];
  const found: WrittenOption[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word.charAt(at)}`;
    const option = find(name, tables);
    if (option === undefined) return [...found, UNKNOWN];
    if (option.value === "none") found.push({ option, takesNext: false });
    else return [...found, ofValue(name, withValue(option, word.slice(at + 1), next), tables, style)];
  }
  return found;
}

function longOption(
  word: string,
  next: string | undefined,
  tables: readonly OptionTable[],
  style: "gnu" | "words",
): WrittenOption {
  const exact = byName(word, tables, style);
  if (exact?.value === "none") return { option: exact, takesNext: false };
  const equals = word.indexOf("=");
  const name = equals === -1 ? word : word.slice(0, equals);
  const option = byName(name, tables, style);
  if (option === undefined)
    return begunBy(name, tables, style) ?? otherOption(word.slice(name.length + 1), tables);
  if (equals !== -1) {
    if (option.value === "none") return flagWithValue(option, word.slice(equals + 1));
    return { option, value: word.slice(equals + 1), takesNext: false };
  }
  return ofValue(name, withValue(option, "", next), tables, style);
}

/** The option with exactly this value, if that is one of its own. */
function ofValue(
  name: string,
  written: WrittenOption,
  tables: readonly OptionTable[],
  style: "gnu" | "words",
): WrittenOption {
  const option = written.value === undefined ? undefined : byName(`${name}=${written.value}`, tables, style);
  return option === undefined ? written : { ...written, option };
}

/** Of a flag, a value may turn it off or choose what it does. */
function flagWithValue(option: KnownOption, value: string): WrittenOption {
  if (/^(?:true|1)$/.test(value)) return { option, takesNext: false };
  return /^(?:false|0|f)$/i.test(value) ? UNKNOWN : { option, takesNext: false, isBegun: true };
}

function withValue(option: KnownOption, rest: string, next: string | undefined): WrittenOption {
  if (rest !== "" || option.value !== "next")
    return { option, ...(rest === "" ? {} : { value: rest }), takesNext: false };
  return { option, ...(next === undefined ? {} : { value: next }), takesNext: next !== undefined };
}

function byName(
  name: string,
  tables: readonly OptionTable[],
  style: "gnu" | "words",
): KnownOption | undefined {
  const other = style === "words" ? (name.startsWith("--") ? name.slice(1) : `-${name}`) : name;
  return find(name, tables) ?? find(other, tables);
}

/** Many programs take the beginning of a long option. It counts where the option is one to know of. */
function begunBy(
  name: string,
  tables: readonly OptionTable[],
  style: "gnu" | "words",
): WrittenOption | undefined {
  if (style === "words" || name.length < 4) return undefined;
  for (const table of tables)
    for (const [full, option] of table) {
      const matters = option.meaning !== "plain" || option.makes !== undefined || option.adds !== undefined;
      if (matters && full.startsWith(name)) return { option, takesNext: false, isBegun: true };
    }
  return undefined;
}

/** One that is meant by `--*`, if anything. */
function otherOption(value: string, tables: readonly OptionTable[]): WrittenOption {
  return { option: find("--*", tables), value, takesNext: false };
}

/** What follows from the word after which there are no options. */
export function endOfOptions(tables: readonly OptionTable[]): KnownOption | undefined {
  return find("--", tables);
}

function find(name: string, tables: readonly OptionTable[]): KnownOption | undefined {
  for (const table of tables) {
    const option = table.get(name);
    if (option !== undefined) return option;
  }
  return undefined;
}
