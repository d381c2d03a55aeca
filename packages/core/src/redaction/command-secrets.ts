import { isPassword } from "./likely-secret.ts";
import { type FoundSecret, isSecret } from "./named-values.ts";
import { isListed, secretName } from "./secret-names.ts";
import {
  hasPairOption,
  isShortPassword,
  PASSWORD_LETTERS,
  pairStart,
  passwordForms,
  type ShortForm,
} from "./short-options.ts";

/** An argument as it is written: in quotes or without, up to where it ends. */
const ARGUMENT = /[ \t]{1,8}\\{0,16}(["']?)([^\s"'`;|&<>()\\]{3,4096})/y;
const ATTACHED = /(["']?)([^\s"'`;|&<>()\\]{3,4096})/y;
/** The next item of a list, behind the quote that closes the one before it. */
const ITEM = /\\{0,16}["'][ \t]{0,8},\s{0,64}\\{0,16}(["'])([^\s"'`\\]{3,4096})/y;
const LONGEST_OPTION = 60;

/** The argument of an option such as `--password`, which ends at `end`. */
export function optionValue(text: string, end: number): FoundSecret | undefined {
  let start = end;
  while (end - start < LONGEST_OPTION && isOfOption(text.charCodeAt(start - 1))) start -= 1;
  if (!text.startsWith("--", start)) return undefined;
  const known = secretName(text.slice(start + 2, end));
  if (known === undefined) return undefined;
  const how = nextArgument(isListed(text, end));
  return argument(how, text, end, (value) => isSecret(value, known, true) && known.mark);
}

/** Letters, digits and hyphens. */
function isOfOption(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 45;
}

const LONGEST_COMMAND = 400;
/** Where a command begins: in a line, and as a list of arguments. */
const BREAKS = [";", "|", "&", "\n", "(", "`"];
const LIST_BREAKS = [";", "{", "}", "]"];

/** The password behind an option of one letter, if the command has such an option. `at` is the hyphen. */
export function shortOptionValue(text: string, at: number): FoundSecret | undefined {
  const letter = text.charAt(at + 1);
  if (!PASSWORD_LETTERS.includes(letter)) return undefined;
  const isItem = isQuote(text.charAt(at - 1));
  for (const form of passwordForms(commandUpTo(text, at, isItem), letter)) {
    const found = shortValue(text, at + 2, { form, isItem });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What stands before an option of the command that it belongs to. */
function commandUpTo(text: string, at: number, isItem: boolean): string {
  const before = text.slice(Math.max(0, at - LONGEST_COMMAND), at);
  const breaks = isItem ? LIST_BREAKS : BREAKS;
  return before.slice(Math.max(...breaks.map((sign) => before.lastIndexOf(sign))) + 1);
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}

function shortValue(
  text: string,
  from: number,
  { form, isItem }: { readonly form: ShortForm; readonly isItem: boolean },
): FoundSecret | undefined {
  const next = text.charAt(from);
  const isNext = isItem ? isQuote(next) || next === "\\" : next === " " || next === "\t";
  if (isNext === (form === "attached") && form !== "pair") return undefined;
  return passwordIn(isNext ? nextArgument(isItem) : ATTACHED, text, from, form === "pair");
}

/** The user and the password behind `--user` or `--proxy-user`. `at` is the first letter of `user`. */
export function pairOptionValue(text: string, at: number): FoundSecret | undefined {
  if (!text.startsWith("user", at)) return undefined;
  const start = text.startsWith("proxy-", at - 6) ? at - 6 : at;
  if (!text.startsWith("--", start - 2)) return undefined;
  const isItem = isQuote(text.charAt(start - 3));
  if (!hasPairOption(commandUpTo(text, start - 2, isItem))) return undefined;
  const end = at + "user".length;
  if (text.charAt(end) === "=") return passwordIn(ATTACHED, text, end + 1, true);
  return passwordIn(nextArgument(isItem), text, end, true);
}

const nextArgument = (isItem: boolean) => (isItem ? ITEM : ARGUMENT);

function passwordIn(how: RegExp, text: string, from: number, isPair: boolean): FoundSecret | undefined {
  const isOne = (value: string) => (isPair ? pairStart(value) !== -1 : isShortPassword(value));
  const found = argument(how, text, from, (value) => isOne(value) && "password");
  if (found === undefined || !isPair) return found;
  return { ...found, start: found.start + pairStart(text.slice(found.start, found.end)) };
}

/** The argument at a position, if `name` has one for its value. */
function argument(
  how: RegExp,
  text: string,
  from: number,
  name: (value: string) => string | false,
): FoundSecret | undefined {
  how.lastIndex = from;
  const found = how.exec(text);
  if (found === null) return undefined;
  const [, , value = ""] = found;
  const known = name(value);
  if (known === false) return undefined;
  const end = how.lastIndex;
  return { start: end - value.length, end, name: known };
}

const NETRC = /[ \t\n]{1,8}([^\s"'`;|&<>()]{3,256})/y;

const LOGIN = /login[ \t\n]{1,8}[^\s]{1,100}[ \t\n]{1,8}password$/;

/** `login NAME password VALUE`, as in .netrc. `end` is that of the name. */
export function netrcValue(text: string, end: number): FoundSecret | undefined {
  if (!text.startsWith("password", end - 8) || !LOGIN.test(text.slice(Math.max(0, end - 140), end)))
    return undefined;
  NETRC.lastIndex = end;
  const value = NETRC.exec(text)?.[1];
  if (value === undefined || !isPassword(value)) return undefined;
  return { start: NETRC.lastIndex - value.length, end: NETRC.lastIndex, name: "password" };
}

const SQL = /([^\s'"\\]{3,256})'/y;

/** `IDENTIFIED BY 'VALUE'`, `PASSWORD 'VALUE'`. `at` is the quote. */
export function sqlValue(text: string, at: number): FoundSecret | undefined {
  if (!/(?:by|word)$/i.test(text.slice(Math.max(0, at - 5), at - 1))) return undefined;
  SQL.lastIndex = at + 1;
  const value = SQL.exec(text)?.[1];
  if (value === undefined || !isPassword(value)) return undefined;
  return { start: at + 1, end: at + 1 + value.length, name: "password" };
}
