import { KEYWORDS } from "./bare-words.ts";
import type { PlainWord } from "./plain-word.ts";

/** A line that begins with a dash or a plus would be an option to the shell that it is given to. */
const PLAIN_NAME = /^(?:[\w@:,./][\w@+:,./-]*|\[)$/;
/** To bash, zsh and ksh these are what `[` does, and to the others there is no such program. */
const PLAIN_TEST = /^\[\[ (?:! )?(?:-[defhLnprsuwxzS] [^ ]+|[^ ]+ ==? [^ ]+) \]\]$/;

const NOT_PLAIN = "the name of a command is not plain";

/** Why the first of these words is not the name of a command; `undefined` where it is. */
export function whyNotNamed(words: readonly PlainWord[]): string | undefined {
  const [name, ...args] = words;
  const isTest = PLAIN_TEST.test(words.map(({ text }) => text).join(" "));
  if (isTest && args.every(({ parts, isWild }) => !isWild && parts.every(isText))) return undefined;
  if (name === undefined) return NOT_PLAIN;
  if (KEYWORDS.has(name.raw)) return `\`${name.raw}\` is a keyword of the shell`;
  if (name.parts.every(isText) && PLAIN_NAME.test(name.raw)) return undefined;
  return name.raw.includes("=") ? whySet(name.raw) : NOT_PLAIN;
}

function isText(part: PlainWord["parts"][number]): boolean {
  return typeof part === "string";
}

/** For assignments as they are written. */
export function whySet(...texts: readonly string[]): string {
  const names = texts.map((text) => `\`${text.replace(/=.*$/s, "")}\``);
  return `it sets ${names.join(" and ")}, which may change what its programs do`;
}
