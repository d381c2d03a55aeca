import { isPassword, isWordForPassword } from "./likely-secret.ts";
import { type FoundSecret, isSecret } from "./named-values.ts";
import { secretName } from "./secret-names.ts";

/** An argument as it is written: in quotes or without, up to where it ends. */
const ARGUMENT = /[ \t]{1,8}\\{0,16}(["']?)([^\s"'`;|&<>()\\]{3,4096})/y;
const ATTACHED = /(["']?)([^\s"'`;|&<>()\\]{3,4096})/y;
const LONGEST_OPTION = 60;

/** The argument of an option such as `--password`, which ends at `end`. */
export function optionValue(text: string, end: number): FoundSecret | undefined {
  let start = end;
  while (end - start < LONGEST_OPTION && isOfOption(text.charCodeAt(start - 1))) start -= 1;
  if (!text.startsWith("--", start)) return undefined;
  const known = secretName(text.slice(start + 2, end));
  if (known === undefined) return undefined;
  return argument(ARGUMENT, text, end, (value) => isSecret(value, known.kind, true) && known.mark);
}

/** Letters, digits and hyphens. */
function isOfOption(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 45;
}

type ShortForm = "attached" | "next" | "pair";

/** Commands with an option of one letter for a password, and whether it stands right behind the letter. */
const SHORT_OPTIONS: readonly (readonly [command: RegExp, letter: string, form: ShortForm])[] = [
  [/(?:^|[\s/"'])(?:mysql\w*|mariadb[\w-]*|7z[ar]?|sshpass)\s/, "p", "attached"],
  [/(?:^|[\s/"'])(?:sshpass|mongo(?:sh|dump|restore|export|import)?)\s/, "p", "next"],
  [
    /(?:^|[\s/"'])(?:docker|podman|nerdctl|buildah|skopeo|helm|az|oc|cf)\s(?:\S{1,40}\s){0,4}login\s/,
    "p",
    "next",
  ],
  [/(?:^|[\s/"'])(?:curl|https?|wget)\s/, "u", "pair"],
  [/(?:^|[\s/"'])redis-cli\s/, "a", "next"],
  [/(?:^|[\s/"'])ldap\w{1,10}\s/, "w", "next"],
  [/(?:^|[\s/"'])(?:sqlcmd|bcp|zip|unzip)\s/, "P", "next"],
  [/(?:^|[\s/"'])smbclient\s/, "U", "pair"],
];
const LONGEST_COMMAND = 400;

/** The password behind an option of one letter, if the command has such an option. `at` is the hyphen. */
export function shortOptionValue(text: string, at: number): FoundSecret | undefined {
  if (!"pPauUw".includes(text.charAt(at + 1))) return undefined;
  const before = text.slice(Math.max(0, at - LONGEST_COMMAND), at);
  const command = before.slice(lastBreak(before));
  for (const [known, letter, form] of SHORT_OPTIONS) {
    if (letter !== text.charAt(at + 1) || !known.test(command)) continue;
    const found = shortValue(text, at + 2, form);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the command begins that the end of a text belongs to. */
function lastBreak(text: string): number {
  return Math.max(...[";", "|", "&", "\n", "(", "`"].map((sign) => text.lastIndexOf(sign))) + 1;
}

function shortValue(text: string, from: number, form: ShortForm): FoundSecret | undefined {
  const isNext = form !== "attached" && /[ \t]/.test(text.charAt(from));
  if (form === "next" && !isNext) return undefined;
  const found = argument(isNext ? ARGUMENT : ATTACHED, text, from, (value) =>
    (form === "pair" ? isPair(value) : isShortPassword(value)) ? "password" : false,
  );
  if (found === undefined || form !== "pair") return found;
  return { ...found, start: found.start + text.slice(found.start, found.end).search(/[:%]/) + 1 };
}

/** `name:password`; of a user and a group in numbers, and of variables, nothing is secret. */
const PAIR = /^[^:%]{1,100}[:%](?!\d{1,5}$|[$<{[*%]).{3}/;

function isPair(value: string): boolean {
  return PAIR.test(value) && !isWordForPassword(value.slice(value.search(/[:%]/) + 1));
}

/** Neither a variable nor a port, nor a path. */
function isShortPassword(value: string): boolean {
  return !/^[$<{[*-]|^\d{1,5}$|:\d|\//.test(value) && !isWordForPassword(value);
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

const NETRC = /[ \t\n]{1,8}([^\s"'`;|&]{3,256})/y;

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
