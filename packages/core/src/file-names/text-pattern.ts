import { remembered } from "./remembered.ts";

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

/** Two sequences of units in which some stand for any number of units. */
export interface Meeting<One, Other> {
  /** Whether the unit stands for any number of units that it meets, none included. */
  oneRuns(unit: One): boolean;
  otherRuns(unit: Other): boolean;
  /** Whether both units can stand for the same. */
  meets(one: One, other: Other): boolean;
}

/** Whether both sequences can stand for the same. Takes time linear in one times the other. */
export function sequencesMeet<One, Other>(
  one: ArrayLike<One>,
  other: ArrayLike<Other>,
  { oneRuns, otherRuns, meets }: Meeting<One, Other>,
): boolean {
  // `reached[at]`: what was read of `one` can stand for the first `at` of `other`.
  let reached = new Uint8Array(other.length + 1);
  reached[0] = 1;
  for (let at = 0; at < other.length && otherRuns(other[at] as Other); at += 1) reached[at + 1] = 1;
  for (let index = 0; index < one.length; index += 1) {
    const unit = one[index] as One;
    const runs = oneRuns(unit);
    const next = new Uint8Array(other.length + 1);
    let isAlive = false;
    for (let at = 0; at <= other.length; at += 1) {
      if (reached[at] === 1) {
        if (runs) next[at] = 1;
        if (at < other.length && meets(unit, other[at] as Other)) {
          next[at + 1] = 1;
          if (otherRuns(other[at] as Other)) next[at] = 1;
        }
      }
      if (next[at] !== 1) continue;
      isAlive = true;
      if (at === other.length) continue;
      if (otherRuns(other[at] as Other) || (runs && meets(unit, other[at] as Other))) next[at + 1] = 1;
    }
    if (!isAlive) return false;
    reached = next;
  }
  return reached[other.length] === 1;
}

export const LONGEST_PATTERN = 2_000;
export const MOST_ALTERNATIVES = 256;

/** Every text that one with alternatives (`{a,b}`) stands for; `undefined` where they are too many. */
export function expandBraces(pattern: string): readonly string[] | undefined {
  return pattern.includes("{") ? expanded(pattern).texts : [pattern];
}

/** A rule is checked, compiled and indexed. */
const expanded = remembered((pattern) => ({ texts: expandChoices(pattern, firstChoice) }));

/** Every text without a choice that one with choices stands for; `undefined` where they are too many. */
export function expandChoices(
  text: string,
  firstChoiceIn: (text: string) => readonly string[] | undefined,
): readonly string[] | undefined {
  let open: readonly string[] = [text];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const choice = firstChoiceIn(one);
      if (choice === undefined) done.push(one);
      else next.push(...choice);
      if (next.length + done.length > MOST_ALTERNATIVES) return undefined;
    }
    open = next;
  }
  return done;
}

/** One pass: a regular expression would go back over what a hostile text repeats. */
function firstChoice(text: string): readonly string[] | undefined {
  let start = -1;
  let isChoice = false;
  for (let index = text.indexOf("{"); index >= 0 && index < text.length; index += 1) {
    const char = text[index];
    if (char === "{") {
      start = index;
      isChoice = false;
    } else if (char === ",") isChoice = true;
    else if (char === "}") {
      if (start >= 0 && isChoice) return chosen(text, start, index);
      start = -1;
    }
  }
  return undefined;
}

function chosen(text: string, start: number, end: number): readonly string[] {
  const [before, after] = [text.slice(0, start), text.slice(end + 1)];
  return text
    .slice(start + 1, end)
    .split(",")
    .map((part) => join(join(before, part), after));
}

/** Two `*` that come together here are one: only a `**` that was written as such means more. */
function join(one: string, other: string): string {
  return one.endsWith("*") && other.startsWith("*") ? one + other.slice(1) : one + other;
}
