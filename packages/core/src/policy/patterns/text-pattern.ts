import { sequencesMeet } from "./sequences-meet.ts";

const STAR = 42;
const QUESTION = 63;
const WILD = /[*?]/;

/** More steps than this are not taken to find out whether two patterns meet. */
const MOST_STEPS = 65_536;

export function isWildText(text: string): boolean {
  return WILD.test(text);
}

/**
 * Whether a pattern covers a text: `*` is anything, `?` one character. Where the text is a pattern
 * itself all that it stands for must be covered, so that a `*` in it is covered by a `*` alone.
 * Greedy, with one way back: to the last `*`.
 */
export function coversText(pattern: string, text: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < text.length) {
    const wanted = at < pattern.length ? pattern.charCodeAt(at) : -1;
    if (wanted === STAR) {
      star = at;
      resume = index;
      at += 1;
    } else if (coversChar(wanted, text.charCodeAt(index))) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (at < pattern.length && pattern.charCodeAt(at) === STAR) at += 1;
  return at === pattern.length;
}

function coversChar(wanted: number, char: number): boolean {
  return wanted === char || (wanted === QUESTION && char !== STAR);
}

/** Whether two patterns can stand for the same text. Not sure means yes. */
export function textsMeet(one: string, other: string): boolean {
  if (one.length * other.length > MOST_STEPS) return startsMeet(one, other);
  return sequencesMeet(one, other, CHARACTERS);
}

const isStar = (char: string) => char === "*";

const CHARACTERS = {
  oneRuns: isStar,
  otherRuns: isStar,
  meets: (one: string, other: string) => one === other || WILD.test(one) || WILD.test(other),
};

/** What stands before the first wildcard decides. */
function startsMeet(one: string, other: string): boolean {
  const [start, otherStart] = [literalStart(one), literalStart(other)];
  return start.startsWith(otherStart) || otherStart.startsWith(start);
}

/** What a pattern begins with, up to its first wildcard. */
export function literalStart(pattern: string): string {
  const wild = pattern.search(WILD);
  return wild === -1 ? pattern : pattern.slice(0, wild);
}

/** What a pattern ends with, after its last wildcard. */
export function literalEnd(pattern: string): string {
  return pattern.slice(Math.max(pattern.lastIndexOf("*"), pattern.lastIndexOf("?")) + 1);
}
