import { formsOf } from "../../commands/command-forms.ts";
import { type Meeting, sequencesMeet } from "./sequences-meet.ts";
import { isFreeWord, isShellPattern, mayMultiply, widestWord, wordsOf } from "./shell-word.ts";
import { coversText, isWildText, textsMeet } from "./text-pattern.ts";

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
  const isOpen = isAnyWord(words.at(-1));
  return { words: isOpen ? words.slice(0, -1) : words, isOpen, isAny: isOpen && words.length === 1 };
}

function isAnyWord(word: string | undefined): boolean {
  return word === "*" || word === "**";
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
  return (!isLedByWildcard(part) || isFreeWord(argv, index)) && coversText(part, word);
}

function isLedByWildcard(part: string): boolean {
  return part.startsWith("*") || part.startsWith("?");
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
