import type { Redactor, SecretSpan } from "../contract/store/store.ts";
import { DeclaredValues } from "./declared-values.ts";
import { findSecrets, mayHaveSecret } from "./find-secrets.ts";
import { replaceSecrets } from "./json-borders.ts";
import { ownSecrets } from "./own-shapes.ts";
import { hasControl, withoutControls } from "./readings.ts";
import { redactInside } from "./redact-inside.ts";
import { marked, withNamed, withoutOverlap } from "./spans.ts";

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
  const declared = new DeclaredValues();
  const ownIn = shapes.length === 0 ? undefined : ownSecrets(shapes);
  const plain = new RecentTexts();

  function find(text: string): readonly SecretSpan[] {
    if (text.length <= LONGEST_REMEMBERED && isPlain(text)) return NOTHING;
    const spans = findAs(text);
    // A colour or a character without a picture within a secret hides its shape, and the reader still sees it.
    const shown = withoutControls(text);
    const seen = shown === undefined ? NOTHING : shown.inText(findAs(shown.text));
    const known = seen.length === 0 ? spans : withoutOverlap([...spans, ...seen]);
    const values = declared.find(text);
    return values.length === 0 ? known : withoutOverlap([...values, ...known]);
  }

  /** The secrets with a shape or a name. */
  function findAs(text: string): readonly SecretSpan[] {
    const found = findSecrets(text);
    const own = ownIn === undefined ? NOTHING : withoutOverlap(ownIn(text).map(marked));
    if (found === undefined) return own;
    return withNamed(withoutOverlap([...own, ...found.known.map(marked)]), found.named.map(marked));
  }

  function redact(text: string): string {
    return replaceSecrets(text, find(text));
  }

  /** Whether nothing in a JSON text needs a closer look. A letter may be written as a number in it. */
  function isPlain(text: string): boolean {
    if (plain.has(text)) return true;
    if (ownIn !== undefined || mayHaveSecret(text) || text.includes(ESCAPED)) return false;
    if (hasControl(text) || declared.isIn(text)) return false;
    if (text.length <= LONGEST_REMEMBERED) plain.add(text);
    return true;
  }

  const redactor: Redactor = {
    find,
    redact,
    redactJson: (text) => (isPlain(text) ? text : redactInside(text, find)),
    add(name, value) {
      if (value.length < SHORTEST_SECRET) return;
      plain.clear();
      declared.add(name, value);
    },
  };
  longestOf.set(redactor, () => declared.longest);
  return redactor;
}

const longestOf = new WeakMap<Redactor, () => number>();

/** How long a declared value may be in a text: a stream must hold as much. 0 for a redactor that is not ours. */
export function longestDeclared(redactor: Redactor): number {
  return longestOf.get(redactor)?.() ?? 0;
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
