const BITS = 7;
const CODES = 1 << BITS;
const MASK = CODES - 1;

/** From frequent to rare in text. */
const LETTERS = "etaoinshrdlcumwfgypbvkjxqz";
const OTHERS = { " ": 150, ".": 10, "-": 8, "/": 8, _: 6, $: 3 };

const RARE = 2;
/** Where it is not known which character stands there. */
const ANY = 150;
/** About how often a character occurs, in relation to others, by its code. */
const FREQUENCIES = frequencies();

function frequencies(): Float64Array {
  const known = new Float64Array(CODES).fill(RARE).fill(5, 0x30, 0x3a);
  for (let rank = 0; rank < LETTERS.length; rank += 1)
    known[LETTERS.charCodeAt(rank)] = (LETTERS.length - rank) ** 2 / 6;
  for (const [char, often] of Object.entries(OTHERS)) known[char.charCodeAt(0)] = often;
  return known;
}

/** Where the last of a text's rarest pairs ends, with what is known to stand before and after it. */
export function rarestPair(text: string): number {
  let least = Number.POSITIVE_INFINITY;
  let found = 1;
  let before = ANY;
  let first = FREQUENCIES[text.charCodeAt(0)] ?? RARE;
  let second = FREQUENCIES[text.charCodeAt(1)] ?? RARE;
  for (let at = 1; at < text.length; at += 1) {
    const after = at + 1 < text.length ? (FREQUENCIES[text.charCodeAt(at + 1)] ?? RARE) : ANY;
    const often = first * second * (before * after);
    if (often <= least) {
      least = often;
      found = at;
    }
    before = first;
    first = second;
    second = after;
  }
  return found;
}

function indexOf(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) & MASK) << BITS) | (text.charCodeAt(at) & MASK);
}

/** Characters around a pair: which may stand before it and after it. Without them, any may. */
export interface Around {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

const MOST_PAIRS = 1_024;
const CHUNK = 16_384;
/** Of shorter texts, the characters are copied in less time. */
const WORTH_ENCODING = 24;
const encoder = new TextEncoder();
/** The two characters before a part of a text, the part itself, and the one after it. */
const bytes = new Uint8Array(2 + CHUNK + 1);
const part = bytes.subarray(2);
const places = new Int32Array(CHUNK);

/** What is looked for at pairs of characters: one look at a text finds them all, however many there are. */
export class PairTable<Item> {
  readonly #known: KnownPairs = {
    numbers: new Uint16Array(CODES * CODES),
    befores: new Uint8Array(MOST_PAIRS * CODES),
    afters: new Uint8Array(MOST_PAIRS * CODES),
  };
  readonly #items: Item[][] = [[]];

  add(pair: string, item: Item, { before, after }: Around = {}): void {
    const index = indexOf(pair, 1);
    const { numbers, befores, afters } = this.#known;
    const number = numbers[index] || this.#items.push([]) - 1;
    numbers[index] = number;
    this.#items[number]?.push(item);
    mark(befores, number, before);
    mark(afters, number, after);
  }

  /**
   * Calls `visit` for each place of a pair that may be a known one, with the place of its second character and what is
   * looked for there. `visit` says where to continue. Characters beyond ASCII may look like others here: what is looked
   * for compares the text itself.
   */
  scan(text: string, visit: (at: number, items: readonly Item[]) => number): void {
    let next = 1;
    for (let from = 0; from < text.length; from += CHUNK) {
      const count = this.#places(text, from, Math.min(text.length, from + CHUNK));
      for (let index = 0; index < count; index += 1) {
        const at = places[index] as number;
        if (at < next) continue;
        next = visit(at, this.#items[this.#known.numbers[indexOf(text, at)] as number] as Item[]);
      }
    }
  }

  /** Whether a test holds for anything that is looked for, at any place of its pair. */
  some(text: string, test: (item: Item, text: string, at: number) => boolean): boolean {
    for (let from = 0; from < text.length; from += CHUNK) {
      const count = this.#places(text, from, Math.min(text.length, from + CHUNK));
      for (let index = 0; index < count; index += 1) {
        const at = places[index] as number;
        if (at === 0) continue;
        const items = this.#items[this.#known.numbers[indexOf(text, at)] as number] as Item[];
        for (let item = 0; item < items.length; item += 1)
          if (test(items[item] as Item, text, at)) return true;
      }
    }
    return false;
  }

  /** Puts the places of a part of a text into `places`. Bytes are read several times faster than characters. */
  #places(text: string, from: number, to: number): number {
    const length = to - from;
    if (length < WORTH_ENCODING) copyCodes(text, from, length);
    else {
      const { read, written } = encoder.encodeInto(
        length === text.length ? text : text.slice(from, to),
        part,
      );
      if (read !== length || written !== length) copyCodes(text, from, length);
    }
    bytes[0] = from === 0 ? 0 : text.charCodeAt(from - 2) & MASK;
    bytes[1] = from === 0 ? 0 : text.charCodeAt(from - 1) & MASK;
    part[length] = to === text.length ? 0 : text.charCodeAt(to) & MASK;
    return placesIn(this.#known, from, length);
  }
}

/** What is at a pair: its number, and which characters may stand before and after it, by the number and the character. */
interface KnownPairs {
  readonly numbers: Uint16Array;
  readonly befores: Uint8Array;
  readonly afters: Uint8Array;
}

function copyCodes(text: string, from: number, length: number): void {
  for (let index = 0; index < length; index += 1) part[index] = text.charCodeAt(from + index) & MASK;
}

/** The places of known pairs in the part. With private fields in it, the loop takes twice as long. */
function placesIn({ numbers, befores, afters }: KnownPairs, from: number, length: number): number {
  let count = 0;
  let before = bytes[0] as number;
  let last = bytes[1] as number;
  for (let at = 2; at < length + 2; at += 1) {
    const code = bytes[at] as number;
    const row = (numbers[(last << BITS) | code] as number) << BITS;
    if (row !== 0 && befores[row | before] !== 0) {
      if (afters[row | (bytes[at + 1] as number)] !== 0) {
        places[count] = from + at - 2;
        count += 1;
      }
    }
    before = last;
    last = code;
  }
  return count;
}

function mark(known: Uint8Array, number: number, chars: string | undefined): void {
  if (chars === undefined) known.fill(1, number << BITS, (number + 1) << BITS);
  else
    for (let at = 0; at < chars.length; at += 1) known[(number << BITS) | (chars.charCodeAt(at) & MASK)] = 1;
}

/** Whether no word and no string of JSON ends within so many characters. */
export function isLonger(text: string, from: number, length: number): boolean {
  for (let at = from; at < from + length; at += 1) {
    const code = text.charCodeAt(at);
    if (Number.isNaN(code) || code <= SPACE || code === QUOTE) return false;
  }
  return true;
}

const SPACE = 0x20;
const QUOTE = 0x22;

/** The characters of a text as numbers. There are hundreds of such texts, and `Array.from` is slow to call. */
export function codesOf(text: string): readonly number[] {
  const codes: number[] = [];
  for (let at = 0; at < text.length; at += 1) codes.push(text.charCodeAt(at));
  return codes;
}
