import { errorText, invalidOption } from "../contract/values/error.ts";
import type { FoundSecret } from "./named-values.ts";

/** A shape of secrets of your own: `{ name: "acme-key", pattern: "acme_[a-z0-9]{32}" }`. */
export interface OwnShape {
  /** What a secret is replaced by: `[redacted:NAME]`. Letters, digits, hyphens, dots and underscores. */
  readonly name: string;
  /**
   * A regular expression without look-around, back-references, repeated groups and repetitions without an end. If it has
   * a group, the first group is the secret.
   */
  readonly pattern: string;
}

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const LONGEST_PATTERN = 1_000;

/** Why a shape cannot be used; `undefined` if it can. */
export function shapeError({ name, pattern }: OwnShape): string | undefined {
  if (!NAME.test(name)) return "its name has 1 to 64 letters, digits, hyphens, dots or underscores";
  if (pattern === "" || pattern.length > LONGEST_PATTERN)
    return `its pattern has 1 to ${LONGEST_PATTERN} characters`;
  const slow = slowPart(pattern);
  if (slow !== undefined) return `its pattern cannot be matched in linear time: ${slow}`;
  try {
    if (new RegExp(pattern).test("")) return "its pattern matches the empty text";
  } catch (error) {
    return `its pattern is invalid: ${errorText(error)}`;
  }
  return undefined;
}

/** What one character, one class or one escape is. */
const ATOM = /\\[^1-9k]|\[(?:[^\]\\]|\\.)*\]|\((?!\?)|\(\?:|[)|^$]|[^\\[\](){}*+?|^$]/y;
const REPETITION = /\?|\{(\d{1,4})(?:,(\d{1,4}))?\}/y;
/** In how many ways the repetitions of a pattern may share a text: so many steps are made at each of its characters. */
const MOST_WAYS = 10_000;

/**
 * What in a pattern may take longer than a fixed number of steps at each character of a text; `undefined` if nothing
 * does. Only single characters are repeated, up to a number: nothing can be repeated within something that is.
 */
function slowPart(pattern: string): string | undefined {
  let ways = 1;
  for (let at = 0; at < pattern.length; ) {
    const atom = matchAt(ATOM, pattern, at);
    if (atom === undefined) return `at ${JSON.stringify(pattern.slice(at, at + 12))}`;
    at += atom[0].length;
    if (/^[*+]|^\{\d+,\}/.test(pattern.slice(at, at + 8)))
      return "a repetition needs an upper bound, such as {8,64}";
    const repeated = matchAt(REPETITION, pattern, at);
    if (repeated === undefined) continue;
    if (atom[0] === ")") return "a group is repeated";
    at += repeated[0].length;
    const [, least = "0", most = repeated[0] === "?" ? "1" : least] = repeated;
    ways *= Number(most) - Number(least) + 1;
    if (Number(most) > MOST_WAYS || ways > MOST_WAYS) return "its repetitions are too many together";
  }
  return undefined;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
}

/** Finds the secrets of these shapes, in time proportional to the text. @throws ToolkeepError for a shape that cannot be used. */
export function ownSecrets(shapes: readonly OwnShape[]): (text: string) => readonly FoundSecret[] {
  const known = shapes.map((shape) => {
    const error = shapeError(shape);
    if (error !== undefined)
      throw invalidOption(`The shape ${JSON.stringify(shape.name)} cannot be used: ${error}.`);
    return { name: shape.name, pattern: new RegExp(shape.pattern, "dg") };
  });
  return (text) =>
    known.flatMap(({ name, pattern }) =>
      Array.from(text.matchAll(pattern), ({ indices }) => {
        const [start = 0, end = 0] = indices?.[1] ?? indices?.[0] ?? [];
        return { start, end, name };
      }).filter(({ start, end }) => end > start),
    );
}
