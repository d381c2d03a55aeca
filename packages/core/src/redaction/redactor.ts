import type { Redactor, SecretSpan } from "../contract/redactor.ts";
import { findSecrets, mayHaveSecret } from "./find-secrets.ts";
import { replaceSecrets } from "./json-borders.ts";
import { ownSecrets } from "./own-shapes.ts";
import { redactInside } from "./redact-inside.ts";
import { mark, marked, withNamed, withoutOverlap } from "./spans.ts";

export type { Redactor, SecretSpan };

const SHORTEST_SECRET = 8;
/** A letter of JSON that is written as a number. */
const ESCAPED = "\\u00";
const LONGEST_REMEMBERED = 1_024;
const NOTHING: readonly SecretSpan[] = [];

/**
 * Makes a redactor: finds secrets by their shape, values under names of secrets, and the values that it is given, and
 * replaces them in everything that is recorded, shown or sent to a model.
 * `shapes` are of your own, in addition to those that are known: regular expressions without look-around and
 * back-references. If one has a group, the first group is the secret.
 * @throws ToolkeepError `invalid_option` for a shape that cannot be matched in linear time.
 *
 * @example
 * const redactor = createRedactor({ shapes: [{ name: "acme-key", pattern: "acme_[a-z0-9]{32}" }] });
 * redactor.add("API_KEY", apiKey);
 * const session = await createSession({ tools, redactor });
 */
export function createRedactor({
  shapes = [],
}: {
  readonly shapes?: readonly { readonly name: string; readonly pattern: string }[];
} = {}): Redactor {
  const marks = new Map<string, string>();
  const ownIn = shapes.length === 0 ? undefined : ownSecrets(shapes);
  let values: RegExp | undefined;
  let hasValue: RegExp | undefined;
  const plain = new RecentTexts();

  function find(text: string): readonly SecretSpan[] {
    if (text.length <= LONGEST_REMEMBERED && isPlain(text)) return NOTHING;
    const found = findSecrets(text);
    if (values === undefined && ownIn === undefined && found === undefined) return NOTHING;
    const spans: SecretSpan[] = [];
    for (const match of values === undefined ? [] : text.matchAll(values)) {
      spans.push(spanOf(match, marks.get(match[0]) ?? mark("secret")));
    }
    if (ownIn !== undefined) for (const secret of ownIn(text)) spans.push(marked(secret));
    if (found === undefined) return withoutOverlap(spans);
    for (const secret of found.known) spans.push(marked(secret));
    return withNamed(withoutOverlap(spans), found.named.map(marked));
  }

  function redact(text: string): string {
    return replaceSecrets(text, find(text));
  }

  /** Whether nothing in a JSON text needs a closer look. A letter may be written as a number in it. */
  function isPlain(text: string): boolean {
    if (plain.has(text)) return true;
    if (ownIn !== undefined || mayHaveSecret(text) || hasValue?.test(text) === true || text.includes(ESCAPED))
      return false;
    if (text.length <= LONGEST_REMEMBERED) plain.add(text);
    return true;
  }

  return {
    find,
    redact,
    redactJson: (text) => (isPlain(text) ? text : redactInside(text, find)),
    add(name, value) {
      if (value.length < SHORTEST_SECRET) return;
      plain.clear();
      for (const form of [value, JSON.stringify(value).slice(1, -1)]) marks.set(form, mark(name));
      const longestFirst = [...marks.keys()].toSorted((a, b) => b.length - a.length);
      const source = longestFirst.map((form) => RegExp.escape(form)).join("|");
      values = new RegExp(source, "g");
      hasValue = new RegExp(source);
    },
  };
}

/** The arguments, the id and the name of a call are looked at by several stages; the rule that allowed it, with the next call again. */
class RecentTexts {
  /** The last one that was looked at comes first. */
  readonly #texts: string[] = Array<string>(8).fill("");

  has(text: string): boolean {
    const at = this.#texts.indexOf(text);
    if (at > 0) this.#toFront(text, at);
    return at !== -1;
  }

  add(text: string): void {
    this.#toFront(text, this.#texts.length - 1);
  }

  clear(): void {
    this.#texts.fill("");
  }

  #toFront(text: string, from: number): void {
    const texts = this.#texts;
    for (let at = from; at > 0; at -= 1) texts[at] = texts[at - 1] as string;
    texts[0] = text;
  }
}

function spanOf(match: RegExpMatchArray, markText: string): SecretSpan {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length, mark: markText };
}
