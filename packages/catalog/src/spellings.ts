import type { OptionEntry } from "./entry.ts";
import { patternOf, type WordPattern } from "./word-pattern.ts";

const MEANINGS = [
  "plain",
  "reads",
  "writes",
  "hosts",
  "runs",
  "statements",
  "jq",
  "commands",
  "rest",
] as const;

/** What is known of one option. */
export interface KnownOption {
  /** `unknown`: only with one of the values of `byValue` something is known of it. */
  readonly meaning: (typeof MEANINGS)[number] | "unknown";
  /**
   * `next`: its value is the rest of the word, or the next word. `two`: it has two values, the next two words.
   * `attached`: only the rest of the word. `apart`: only the next word.
   */
  readonly value: "none" | "next" | "two" | "attached" | "apart";
  readonly makes?: string;
  readonly adds?: string;
  /** Its value stands instead of the first operand. */
  readonly isFirst?: true;
  /** It says what the command is. */
  readonly isMode?: true;
  /** What is known of it with some values. */
  readonly byValue?: readonly (readonly [value: WordPattern, option: KnownOption])[];
}

/** The options of a program by their spelling, without a value. */
export type OptionTable = ReadonlyMap<string, KnownOption>;

/** How the options of a program are written. */
export type Style = "gnu" | "words" | "letters" | "text";

/**
 * Reads the notation of options: `-abc` are three flags, `-n:` has a value in the same word or the next, `-i?` may have
 * one in the same word, `-L!` has one in the next word alone; `--name`, `--name=` and `--name?` likewise; `--name==` has
 * two values, the next two words; `-#` is a number, as in `-20`. In the style `words`
 * there are no groups, and `-name=` has a value. `--name=text` and `-n=text` are an option with this value, in which `*`
 * stands for any characters. `--[no-]name` are two options. `--` stands for itself, and `--*` for any other long option,
 * whose value may follow as an operand. What has no dash is a word of its own, as `if=` and `!`. An option may be in
 * several lists.
 */
export function optionTable(
  entry: OptionEntry = {},
  style: Style = "gnu",
  others: readonly string[] = [],
): OptionTable {
  const table = new Map<string, KnownOption>();
  const add = (spellings: string, option: Omit<KnownOption, "value" | "byValue">) => {
    for (const spelling of spellings.split(" "))
      for (const one of bothOf(spelling).flatMap((each) => namesOf(each, style)))
        table.set(one.name, merged(table.get(one.name), one, option));
  };
  for (const spellings of others) add(spellings, { meaning: "plain", isMode: true });
  for (const meaning of MEANINGS) if (entry[meaning] !== undefined) add(entry[meaning], { meaning });
  if (entry.first !== undefined) add(entry.first, { meaning: "plain", isFirst: true });
  for (const [spellings, makes] of Object.entries(entry.makes ?? {}))
    add(spellings, { meaning: "plain", makes });
  for (const [spellings, adds] of Object.entries(entry.adds ?? {}))
    add(spellings, { meaning: "plain", adds });
  return table;
}

/** An option may stand under several things that follow from it. */
function merged(
  known: KnownOption | undefined,
  { value, text }: Named,
  option: Omit<KnownOption, "value" | "byValue">,
): KnownOption {
  if (text !== undefined) {
    const base = known ?? { meaning: "unknown" as const, value };
    return { ...base, byValue: [...(base.byValue ?? []), [patternOf(text), { ...option, value }]] };
  }
  const isMore = option.meaning !== "plain" || known === undefined || known.meaning === "unknown";
  return { ...known, ...option, meaning: isMore ? option.meaning : known.meaning, value };
}

interface Named {
  readonly name: string;
  readonly value: KnownOption["value"];
  /** The value that it is about. */
  readonly text?: string;
}

const ENDS: Readonly<Record<string, KnownOption["value"]>> = {
  ":": "next",
  "=": "next",
  "==": "two",
  "?": "attached",
  "!": "apart",
};

/** What turns an option off has no value. */
function bothOf(spelling: string): readonly string[] {
  const [, name] = /^--\[no-\](.+)$/.exec(spelling) ?? [];
  return name === undefined ? [spelling] : [`--${name}`, `--no-${name.replace(/[=?]$/, "")}`];
}

function namesOf(spelling: string, style: Style): readonly Named[] {
  const isShort = style !== "words" && /^-[^-]/.test(spelling);
  const [, name = spelling, text = ""] =
    (isShort ? /^(-.)=(.+)$/s : /^(-?[^=]+)=([^=].*)$/s).exec(spelling) ?? [];
  if (text !== "") return [{ name, value: "next", text }];
  const [end = ""] = /(?<=.)(?:==|[:=?!])$/.exec(spelling) ?? [];
  const value = ENDS[end];
  const bare = spelling.slice(0, spelling.length - end.length);
  if (!isShort || bare === "-#" || value !== undefined) return [{ name: bare, value: value ?? "none" }];
  return [...bare.slice(1)].map((letter) => ({ name: `-${letter}`, value: "none" }));
}

/** One option of a command as it is written, with what is known of it. */
export interface WrittenOption {
  /** As it stands in a table; `undefined` if it is not known. */
  readonly name: string | undefined;
  readonly value?: string;
  /** Whether its value is the next word. */
  readonly takesNext: boolean;
  /** Only its beginning is written, so it may be another option. */
  readonly isBegun?: true;
  /** An operand stands before it. */
  readonly isLate?: true;
}

const UNKNOWN: WrittenOption = { name: undefined, takesNext: false };

/** Takes a word that begins with a dash apart. Several options may stand in it. */
export function optionsIn(
  word: string,
  next: string | undefined,
  tables: readonly OptionTable[],
  style: Style,
): readonly WrittenOption[] {
  const [number, rest = ""] = /^-\d+(\D*)$/.exec(word) ?? [];
  if (number !== undefined && findOption("-#", tables) !== undefined) {
    const more = rest === "" ? [] : optionsIn(`-${rest}`, next, tables, style);
    return [{ name: "-#", takesNext: false }, ...more];
  }
  if (!/^-[^-]/.test(word) || style === "words") return [longOption(word, next, tables, style)];
  const found: WrittenOption[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word.charAt(at)}`;
    const option = findOption(name, tables);
    const isCut = option?.value === "apart" && at < word.length - 1;
    if (option === undefined || isCut) return [...found, UNKNOWN];
    if (option.value === "none") found.push({ name, takesNext: false });
    else return [...found, withValue(name, option, word.slice(at + 1), next)];
  }
  return found;
}

/** Tells whether all options in a word are among those that are spelled so. */
export function optionsNamed(spellings: string, style: Style = "gnu"): (word: string) => boolean {
  const tables = [optionTable({ plain: spellings }, style)];
  return (word) =>
    optionsIn(word, undefined, tables, style).every(
      ({ name = "", value, isBegun }) =>
        isBegun !== true && findOption(name, tables, value)?.meaning === "plain",
    );
}

/** A word without a dash that the program takes as an option, such as `if=file`; `undefined` for an operand. */
export function bareOption(word: string, tables: readonly OptionTable[]): WrittenOption | undefined {
  if (findOption(word, tables)?.value === "none") return { name: word, takesNext: false };
  const equals = word.indexOf("=");
  const name = equals < 1 ? undefined : word.slice(0, equals);
  if (name === undefined || findOption(name, tables) === undefined) return undefined;
  return { name, value: word.slice(equals + 1), takesNext: false };
}

function longOption(
  word: string,
  next: string | undefined,
  tables: readonly OptionTable[],
  style: Style,
): WrittenOption {
  const equals = word.indexOf("=");
  const written = equals === -1 ? word : word.slice(0, equals);
  const name = knownName(written, tables, style);
  const option = name === undefined ? undefined : findOption(name, tables);
  if (name === undefined || option === undefined)
    return begunBy(word, tables, style) ?? otherOption(word.slice(written.length + 1), tables);
  if (equals === -1) return withValue(name, option, "", next);
  const value = word.slice(equals + 1);
  if (option.value !== "none" || isNamedValue(option, value)) return { name, value, takesNext: false };
  return flagWithValue(name, value);
}

/** Of a flag, a value may turn it off or choose what it does. */
function flagWithValue(name: string, value: string): WrittenOption {
  if (/^(?:true|1)$/.test(value)) return { name, takesNext: false };
  return /^(?:false|0|f)$/i.test(value) ? UNKNOWN : { name, takesNext: false, isBegun: true };
}

function isNamedValue({ byValue = [] }: KnownOption, value: string): boolean {
  return byValue.some(([pattern]) => pattern.test(value));
}

function withValue(name: string, option: KnownOption, rest: string, next: string | undefined): WrittenOption {
  if (rest !== "" || option.value === "attached" || option.value === "none")
    return { name, ...(rest === "" ? {} : { value: rest }), takesNext: false };
  return { name, ...(next === undefined ? {} : { value: next }), takesNext: next !== undefined };
}

function knownName(name: string, tables: readonly OptionTable[], style: Style): string | undefined {
  const other = style === "words" ? (name.startsWith("--") ? name.slice(1) : `-${name}`) : name;
  return [name, other].find((one) => findOption(one, tables) !== undefined);
}

/** Many programs take the beginning of a long option. It counts where the option is one to know of. */
function begunBy(word: string, tables: readonly OptionTable[], style: Style): WrittenOption | undefined {
  const [name = "", ...parts] = word.split("=");
  const given = parts.length === 0 ? {} : { value: parts.join("=") };
  if (style === "words") return undefined;
  for (const table of tables)
    for (const [full, { meaning, makes, adds, isMode }] of table) {
      const matters = meaning !== "plain" || makes !== undefined || adds !== undefined || isMode;
      if (matters && full.startsWith(name)) return { name: full, ...given, takesNext: false, isBegun: true };
    }
  return undefined;
}

/** One that is meant by `--*`, if anything. */
function otherOption(value: string, tables: readonly OptionTable[]): WrittenOption {
  const isKnown = findOption(ANY, tables) !== undefined;
  return isKnown ? { name: ANY, value, takesNext: false } : UNKNOWN;
}

const ANY = "--*";

/** What is known of an option by its name, with its value if it has one. */
export function findOption(
  name: string,
  tables: readonly OptionTable[],
  value?: string,
): KnownOption | undefined {
  for (const table of tables) {
    const option = table.get(name);
    if (option === undefined) continue;
    return (
      (value === undefined ? undefined : option.byValue?.find(([one]) => one.test(value))?.[1]) ?? option
    );
  }
  return undefined;
}

/** `xzf a.tgz` as `-x -z -f a.tgz`: values stand after the group, in the order of its letters. */
export function withDashes(argv: readonly string[], tables: readonly OptionTable[]): readonly string[] {
  const [name = "", group = "-", ...rest] = argv;
  if (group.startsWith("-")) return argv;
  const values = [...rest];
  const options = [...group].flatMap((letter) => {
    const isValued = findOption(`-${letter}`, tables)?.value === "next";
    return isValued && values.length > 0 ? [`-${letter}`, values.shift() ?? ""] : [`-${letter}`];
  });
  return [name, ...options, ...values];
}

/** The word that asks for the version or for help, where a command does nothing else. */
export function askedAboutItself(
  [, word = "", ...more]: readonly string[],
  hasCommands: boolean,
): string | undefined {
  const isQuestion = (hasCommands ? /^(?:--)?(?:version|help)$/ : /^--(?:version|help)$/).test(word);
  return isQuestion && more.length === 0 ? word : undefined;
}

/** Whether a name that a pattern finds could be an option; an option whose value is a pattern stays what it is. */
export function mayBecomeOption(word: string): boolean {
  return /^[*?[{]/.test(word) || (word.startsWith("-") && !/^--[\w-]+=/.test(word));
}
