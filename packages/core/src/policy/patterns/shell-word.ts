import { isHarmlessOperand } from "../../commands/harmless-operands.ts";
import { isHarmlessOption } from "../../commands/harmless-options.ts";
import { splitCommand } from "../../contract/effect.ts";

/** The words of a command line. Where nothing is quoted they are found faster. */
export function wordsOf(line: string): readonly string[] {
  return line.includes("'") ? splitCommand(line) : (line.match(/\S+/g) ?? []);
}

const SHELL_WILD = /[*?[]|[!+@]\(/;

/** Whether a shell may put other words in the place of this one. */
export function isShellPattern(word: string): boolean {
  return SHELL_WILD.test(word) || isBraced(word);
}

/** `{a,b}` and `{1..3}`; what holds white space was quoted. */
function isBraced(word: string): boolean {
  return word.includes("{") && (word.includes(",") || word.includes("..")) && !/\s/.test(word);
}

/** A pattern of `*` and `?` for all that a shell may make of a word. */
export function widestWord(word: string): string {
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
export function mayMultiply(argv: readonly string[], index: number): boolean {
  const word = argv[index] as string;
  if (!isShellPattern(word) || word === "[" || /\s/.test(word)) return false;
  return !TAKES_PATTERN.has(argv[index - 1] ?? "");
}

const MAY_BECOME_OPTION = /^(?:[*?[]|[!+@]\()/;
const TAKES_PATTERN: ReadonlySet<string> = new Set(
  "-name -iname -path -ipath -wholename -g --glob --iglob --include --exclude --exclude-dir".split(" "),
);
