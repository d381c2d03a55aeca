import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { formsOf } from "../../commands/forms/command-forms.ts";
import { isHarmlessOperand } from "../../commands/options/harmless-operands.ts";
import { isHarmlessOption } from "../../commands/options/harmless-options.ts";
import { splitCommand } from "../../contract/call/effect.ts";
import {
  coversText,
  isWildText,
  type Meeting,
  sequencesMeet,
  textsMeet,
} from "../../file-names/text-pattern.ts";

/** A command pattern by its words. */
export interface CommandPattern {
  readonly words: readonly string[];
  /** It ended with a `*`, which stands for any number of further words. */
  readonly isOpen: boolean;
  /** It is nothing but a `*`. */
  readonly isAny: boolean;
}

export function commandPattern(line: string): CommandPattern {
  const words = wordsOf(line);
  const isOpen = /^\*\*?$/.test(words.at(-1) ?? "");
  return { words: isOpen ? words.slice(0, -1) : words, isOpen, isAny: isOpen && words.length === 1 };
}

/** Whether the pattern allows the command: all of its words, as they stand. */
export function coversCommand({ words, isOpen, isAny }: CommandPattern, argv: readonly string[]): boolean {
  if (isAny) return true;
  if (isOpen ? argv.length < words.length : argv.length !== words.length) return false;
  for (let index = 0; index < argv.length; index += 1) {
    const part = words[index];
    if (part === undefined ? !isFreeWord(argv, index) : !coversWord(part, argv, index)) return false;
  }
  return true;
}

function coversWord(part: string, argv: readonly string[], index: number): boolean {
  const word = argv[index] as string;
  if (mayMultiply(argv, index)) return false;
  if (!isWildText(part)) return part === word;
  return (!/^[*?]/.test(part) || isFreeWord(argv, index)) && coversText(part, word);
}

/** Whether the pattern may be meant for the command, in any of its forms. */
export function mayMeanCommand(pattern: CommandPattern, argv: readonly string[]): boolean {
  return pattern.isAny || formsOf(argv).some((form) => mayMeanForm(pattern, form));
}

function mayMeanForm({ words, isOpen }: CommandPattern, form: readonly string[]): boolean {
  if (form.some(isShellPattern)) return sequencesMeet(isOpen ? [...words, REST] : words, form, WORDS);
  if (isOpen ? form.length < words.length : form.length !== words.length) return false;
  return words.every((part, index) => coversText(part, form[index] as string));
}

/** In the place of a pattern's word: any number of words. */
const REST = undefined;

/** A shell may make any number of words of one. */
const WORDS: Meeting<string | undefined, string> = {
  oneRuns: (part) => part === REST,
  otherRuns: isShellPattern,
  meets: (part, word) => part === REST || textsMeet(part, isShellPattern(word) ? widestWord(word) : word),
};

/** The arguments of a command line. A line without quotes is split faster. */
export function wordsOf(line: string): readonly string[] {
  return line.includes("'") ? splitCommand(line) : (line.match(/\S+/g) ?? []);
}

const SHELL_WILD = /[*?]|[!+@]\(/;

/** Whether a shell may put other words in the place of this one. */
export function isShellPattern(word: string): boolean {
  return SHELL_WILD.test(word) || hasClass(word) || isBraced(word);
}

/** A bracket that nothing closes is a letter like any other: `[` is a command. */
function hasClass(word: string): boolean {
  const open = word.indexOf("[");
  return open !== -1 && word.indexOf("]", open + 1) !== -1;
}

/** `{a,b}` and `{1..3}`; what holds white space was quoted. */
function isBraced(word: string): boolean {
  return word.includes("{") && (word.includes(",") || word.includes("..")) && !/\s/.test(word);
}

/** A pattern of `*` and `?` for all that a shell may make of a word. */
function widestWord(word: string): string {
  const end = word.search(/[[{]|[!+@*?]\(/);
  return end === -1 ? word : `${word.slice(0, end)}*`;
}

/**
 * Whether a wildcard may stand for this word of a command: not for an option or an operand that could
 * write or execute, and not for what a shell may turn into an option, unless it is the pattern that an
 * option takes.
 */
export function isFreeWord(argv: readonly string[], index: number): boolean {
  const word = argv[index] as string;
  if (word.startsWith("-") && word !== "-") return isHarmlessOption(argv, index);
  const mayBecomeOption = MAY_BECOME_OPTION.test(word) || (word.startsWith("{") && isBraced(word));
  if (mayBecomeOption && !TAKES_PATTERN.has(argv[index - 1] ?? "")) return false;
  return isHarmlessOperand(argv, index);
}

/**
 * Whether a shell may make another number of words of this one, so that a pattern for one word does not cover it.
 * What holds white space was quoted; so is, as a rule, the pattern that an option takes.
 */
function mayMultiply(argv: readonly string[], index: number): boolean {
  const word = argv[index] as string;
  if (!isShellPattern(word) || word === "[" || /\s/.test(word)) return false;
  return !TAKES_PATTERN.has(argv[index - 1] ?? "");
}

const MAY_BECOME_OPTION = /^(?:[*?[]|[!+@]\()/;
const TAKES_PATTERN = wordsIn(PROGRAM_KINDS.patternOptions);
