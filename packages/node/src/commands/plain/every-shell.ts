import type { SimpleCommand } from "@toolkeep/core/ports";
import type { PlainCommand, PlainLine } from "./plain-line.ts";
import type { PlainRedirect } from "./plain-redirect.ts";
import type { PlainWord } from "./plain-word.ts";
import { COUNTING, EVALUATING, NAMES_OF_ONE_SHELL, ZSH_PARAMETERS } from "./shell-names.ts";

/**
 * Why zsh, dash, ksh or fish would run something else for a line that is plain in bash; `undefined` where each of them
 * runs the same commands, or none. The shell of a client is unknown, and a project may have chosen it.
 */
export function whyShellsDiffer(
  { commands, inFish }: PlainLine,
  resolved: readonly SimpleCommand[],
): string | undefined {
  if (inFish !== undefined) return inFish;
  for (const command of commands) {
    const reason = whyWordsDiffer(command) ?? command.redirects.map(whyRedirectDiffers).find(isReason);
    if (reason !== undefined) return reason;
  }
  return resolved.map(({ argv }) => whyCommandDiffers(argv)).find(isReason);
}

function isReason(reason: string | undefined): reason is string {
  return reason !== undefined;
}

function whyWordsDiffer({ words, assignments, loops }: PlainCommand): string | undefined {
  const special = loops.find(({ variable }) => ZSH_PARAMETERS.has(variable));
  if (special !== undefined) return `\`${special.variable}\` is a parameter of zsh`;
  if (words[0]?.raw === "[[" && words.some(({ raw }) => raw.includes("/")))
    return "fish takes `[[ … ]]` for the path of a program";
  if (assignments.some(({ isWild }) => isWild)) return "fish makes a list of files of a variable in it";
  const all = [...assignments, ...words, ...loops.flatMap((loop) => loop.words)];
  return all.map(whyWordDiffers).find(isReason);
}

const SEGMENT = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\.|[^'"\\]+/gs;
/** In zsh and fish this after a variable takes a part of its value, or belongs to its name. */
const TAKEN_APART = /^(?:\[|:[A-Za-z&#]|\P{ASCII})/u;

function whyWordDiffers({ text, parts, isWild, raw }: PlainWord): string | undefined {
  const printed = parts.flatMap((part) => (typeof part === "object" && "printed" in part ? [part.text] : []));
  const reason =
    printed.map(whyDocumentDiffers).find(isReason) ??
    whyTextDiffers(printed.reduce((rest, one) => rest.replace(one, () => ""), text));
  if (reason !== undefined) return reason;
  if (isWild && /[^/]\*\*|\*\*[^/]/.test(raw)) return "fish looks for `**` in folders below";
  const isApart = parts.some((part, index) => {
    const next = parts[index + 1];
    if (typeof part === "string" || "printed" in part || next === undefined) return false;
    if (part.variable === "#") return true;
    return typeof next === "string" && TAKEN_APART.test(next);
  });
  return isApart ? "zsh and fish read a variable in it in another way" : undefined;
}

/** Of a here-document in a substitution, as the whole is written. */
function whyDocumentDiffers(text: string): string | undefined {
  const delimiter = /<<["']?([\w.-]+)/.exec(text)?.[1] ?? "";
  const lines = text.split("\n");
  if (lines.some((line) => line.endsWith("\\")))
    return "ksh reads on where a line of a here-document ends in a backslash";
  // Up to that character the line could be the delimiter. There dash loses a byte, and ksh hangs.
  const isLost = lines.some((line) => {
    const begin = /^[\w.-]+(?=\P{ASCII})/u.exec(line)?.[0];
    return begin !== undefined && delimiter.startsWith(begin);
  });
  return isLost ? "dash loses a letter of a here-document in it" : undefined;
}

function whyTextDiffers(text: string): string | undefined {
  if (/^=[^=]|^==./.test(text)) return "zsh makes the path of a program of a word that begins with `=`";
  if (/^(?:''|"")+[=~]/.test(text)) return "zsh looks at what follows empty quotes";
  if (text.startsWith("%self")) return "fish makes a number of `%self`";
  for (const [written, single, double] of text.matchAll(SEGMENT)) {
    if (!/^\[\[?$/.test(text) && hasOpenBracket(written))
      return "fish reads on up to the bracket that closes";
    if (single !== undefined && /\\(?:\\|$)/.test(single))
      return "fish reads a backslash in single quotes in another way";
    if (double?.replaceAll(/\\[^`]/g, "").includes("\\`") === true)
      return "fish reads a backtick in double quotes in another way";
  }
  return undefined;
}

function hasOpenBracket(written: string): boolean {
  if (/^["'\\]/.test(written)) return false;
  let depth = 0;
  for (const sign of written)
    depth = sign === "[" ? depth + 1 : sign === "]" ? Math.max(depth - 1, 0) : depth;
  return depth > 0;
}

function whyRedirectDiffers({ operator, text }: PlainRedirect): string | undefined {
  if (operator === ">|") return "`>|` is a pipe in fish";
  return text === undefined ? undefined : whyTextDiffers(text);
}

const NUMBER = /^(?:[-+]?\d+(?:\.\d+)?[smhd]?|\$[?$!#])$/;
/** Options, jobs and signals, of which no shell makes a variable. */
const WORD = /^(?:%[\d+%-]*|-[A-Za-z]+|--|-?(?:SIG)?[A-Z]{2,6}\d?)$/;

function whyCommandDiffers([name = "", ...args]: readonly string[]): string | undefined {
  if (NAMES_OF_ONE_SHELL.has(name)) return `\`${name}\` is a command of one shell alone`;
  if (name === "read" && args.some((arg) => ZSH_PARAMETERS.has(arg))) return "it sets a parameter of zsh";
  if (name === "set" && /^-(?:x+|u+)$/.test(args.join(" "))) return "`set` shows every variable in fish";
  return isEvaluated(name, args) ? `zsh and ksh evaluate what \`${name}\` is given` : undefined;
}

function isEvaluated(name: string, args: readonly string[]): boolean {
  if (name === "printf") return isFormattedNumber(args);
  if (name === "test" || name === "[") return isComparedNumber(name === "[" ? args.slice(0, -1) : args);
  if (EVALUATING.has(name)) return args.some((arg) => !NUMBER.test(arg));
  return COUNTING.has(name) && args.some((arg) => !NUMBER.test(arg) && !WORD.test(arg));
}

const CONVERSION = /%(?:%|[-#0 +]*\d*(?:\.\d*)?([a-zA-Z]))/g;
/** Conversions that only print a text. */
const OF_TEXT = /^[sbcq]$/;

/** Operands are given to the conversions of the format in turn, from its start again where there are more of them. */
function isFormattedNumber(args: readonly string[]): boolean {
  const [format = "", ...operands] = args[0] === "--" ? args.slice(1) : args;
  if (format.startsWith("-")) return args[0] !== "--";
  const letters = [...format.matchAll(CONVERSION)].flatMap(([, letter]) =>
    letter === undefined ? [] : [letter],
  );
  const isKnown = !format.replaceAll(CONVERSION, "").includes("%");
  return operands.some((operand, index) => {
    const letter = letters[index % Math.max(letters.length, 1)] ?? "s";
    return !(isKnown && OF_TEXT.test(letter)) && !NUMBER.test(operand);
  });
}

const ARITHMETIC = /^-(?:t|eq|ne|lt|le|gt|ge)$/;
const JOINING = /^(?:!|\(|\)|-a|-o)$/;

function isComparedNumber(args: readonly string[]): boolean {
  const operands = args.filter((arg) => !ARITHMETIC.test(arg) && !JOINING.test(arg));
  return args.some((arg) => ARITHMETIC.test(arg)) && operands.some((operand) => !NUMBER.test(operand));
}
