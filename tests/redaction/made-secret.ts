/** Numbers that look random and are the same in every run. */
export class Numbers {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    // The higher bits are the better ones.
    let mixed = this.#state ^ (this.#state >>> 15);
    mixed = Math.imul(mixed, 0x2c1b3c6d) >>> 0;
    return ((mixed ^ (mixed >>> 12)) >>> 4) % limit;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();

/** What stands for a run of characters in a format: `{w36}` is 36 letters and digits. */
const ALPHABETS: Readonly<Record<string, string>> = {
  w: LOWER + UPPER + DIGITS,
  u: `${LOWER + UPPER + DIGITS}_-`,
  b: `${LOWER + UPPER + DIGITS}+/`,
  h: `${DIGITS}abcdef`,
  d: DIGITS,
  l: LOWER + DIGITS,
  U: UPPER + DIGITS,
  // As in base 32.
  B: `${UPPER}234567`,
  // As people choose them: with signs that neither a shell nor an address takes for its own.
  p: `${LOWER + UPPER + DIGITS}!^*~`,
};

/** A secret that was made up, and the parts of it that nothing may show. */
export interface MadeSecret {
  readonly value: string;
  readonly parts: readonly string[];
}

const SHORTEST_PART = 6;

/** Fills a format in: `{h32}` is 32 hexadecimal digits, `{uuid}` a UUID, `{pem:KIND}` a private key. Nothing of it is real. */
export function makeSecret(format: string, numbers: Numbers): MadeSecret {
  const parts: string[] = [];
  const run = (alphabet: string, length: number): string => {
    let text = "";
    while (text.length < length) text += alphabet.charAt(numbers.below(alphabet.length));
    if (length >= SHORTEST_PART) parts.push(text);
    return text;
  };
  const value = format.replaceAll(
    /\{(?:([a-zA-Z])(\d+)|uuid|pem:([A-Z0-9 ]*))\}/g,
    (all, kind, count, pem) => {
      if (kind !== undefined) return run(ALPHABETS[kind] ?? "", Number(count));
      if (all !== "{uuid}") return pemOf(pem, run);
      return [8, 4, 4, 4, 12].map((length) => run(ALPHABETS["h"] ?? "", length)).join("-");
    },
  );
  return { value, parts: parts.length === 0 ? [value] : parts };
}

function pemOf(kind: string, run: (alphabet: string, length: number) => string): string {
  const lines = Array.from({ length: 4 }, () => run(ALPHABETS["b"] ?? "", 64));
  const dashes = "-".repeat(5);
  return [`${dashes}BEGIN ${kind}${dashes}`, ...lines, `${dashes}END ${kind}${dashes}`].join("\n");
}
