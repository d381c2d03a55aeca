import type { FoundSecret } from "./named-values.ts";
import type { SecretShape } from "./secret-shape.ts";
import { shapes, WEB_KEY } from "./secret-shapes.ts";

/** Whether a text may have a secret of a known shape, or one that stands under a name for secrets. */
export function mayHaveSecret(text: string): boolean {
  return shapes().some(text, isHint);
}

function isHint(shape: SecretShape, text: string, at: number): boolean {
  return shape.hint(text, at);
}

/** The secrets of a text: those that are known by their looks, and those that are known by their names only. */
export interface FoundSecrets {
  readonly known: readonly FoundSecret[];
  readonly named: readonly FoundSecret[];
}

/** Looks through a text once, and more closely where a known pair of characters is. `undefined` if nothing is found. */
export function findSecrets(text: string): FoundSecrets | undefined {
  let search: Search | undefined;
  shapes().scan(text, (at, known) => {
    let next = at + 1;
    for (let index = 0; index < known.length; index += 1) {
      const shape = known[index] as SecretShape;
      const secret = shape === WEB_KEY ? undefined : shape.find(text, at);
      if (secret === undefined && (shape !== WEB_KEY || !shape.hint(text, at))) continue;
      search ??= new Search(text);
      next = Math.max(next, search.add(shape, secret, at));
    }
    return next;
  });
  return search?.found;
}

/** What was found so far. */
class Search {
  readonly #webKeys: WebKeys;
  readonly #known: FoundSecret[] = [];
  readonly #named: FoundSecret[] = [];
  #namedTo = 0;

  constructor(text: string) {
    this.#webKeys = new WebKeys(text);
  }

  get found(): FoundSecrets | undefined {
    const isEmpty = this.#known.length + this.#named.length === 0;
    return isEmpty ? undefined : { known: this.#known, named: this.#named };
  }

  /** Where to look next. What a name stands for is looked at too: its own shape says more. */
  add(shape: SecretShape, secret: FoundSecret | undefined, at: number): number {
    if (secret === undefined) this.#known.push(...this.#webKeys.near(at));
    else if (!shape.isNamed) this.#known.push(secret);
    else if (at >= this.#namedTo) {
      this.#named.push(secret);
      this.#namedTo = secret.end;
    }
    return secret === undefined || shape.isNamed ? at + 1 : secret.end;
  }
}

/** A JSON Web Key is one object, and names its kind anywhere in it. */
const LONGEST_WEB_KEY = 8_192;
const LONGEST_PART = 4_200;
const PRIVATE_PART = /"(?:d|p|q|dp|dq|qi|k)\\{0,16}"\s{0,8}:\s{0,8}\\{0,16}"([A-Za-z0-9_-]{40,4096})/g;

/** The private parts of JSON Web Keys. Text between two names of a kind is looked at once. */
class WebKeys {
  readonly #text: string;
  #lookedTo = 0;

  constructor(text: string) {
    this.#text = text;
  }

  near(at: number): readonly FoundSecret[] {
    if (at + LONGEST_WEB_KEY <= this.#lookedTo) return [];
    const from = Math.max(0, this.#lookedTo - LONGEST_PART, at - LONGEST_WEB_KEY);
    this.#lookedTo = at + 2 * LONGEST_WEB_KEY;
    const part = this.#text.slice(from, this.#lookedTo + LONGEST_PART);
    return Array.from(part.matchAll(PRIVATE_PART), (match) => {
      const end = from + match.index + match[0].length;
      return { start: end - (match[1] ?? "").length, end, name: "private-key" };
    });
  }
}
