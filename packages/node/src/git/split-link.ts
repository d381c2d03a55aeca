/** What a split index says about the shared file that it builds on. */
export interface SplitLink {
  /** The hash in the name of the shared file; `undefined` if there is none. */
  readonly shared: string | undefined;
  /** Entries of the shared file that are gone, by their position. */
  readonly deleted: ReadonlySet<number>;
  /** Entries of the shared file that have a newer record. */
  readonly replaced: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Reads the extension `link` of an index; `undefined` for what git would not have written.
 * https://git-scm.com/docs/index-format
 */
export function splitLink(bytes: Buffer, at: number, hashBytes: number): SplitLink | undefined {
  try {
    const size = bytes.readUInt32BE(at - 4);
    const hash = bytes.toString("hex", at, at + hashBytes);
    const shared = /^0*$/.test(hash) ? undefined : hash;
    if (size === hashBytes) return { shared, deleted: NONE, replaced: NONE };
    const deleted = readBits(bytes, at + hashBytes);
    const replaced = readBits(bytes, deleted.end);
    return replaced.end === at + size ? { shared, deleted: deleted.set, replaced: replaced.set } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface ReadBits {
  readonly set: ReadonlySet<number>;
  readonly end: number;
}

const MOST_BITS = 2 ** 24;
const WORD = 64;

/**
 * The positions of the bits that are set in a compressed bitmap (EWAH): words that stand for a run of equal words and
 * say how many words follow as they are.
 * @throws RangeError for one that is longer than it says.
 */
function readBits(bytes: Buffer, at: number): ReadBits {
  const most = bytes.readUInt32BE(at);
  const words = bytes.readUInt32BE(at + 4);
  if (most > MOST_BITS) throw new RangeError("too many bits");
  const set = new Set<number>();
  const wordAt = (index: number) => bytes.readBigUInt64BE(at + 8 + 8 * index);
  let position = 0;
  for (let index = 0; index < words; ) {
    const marker = wordAt(index);
    const run = Number((marker >> 1n) & 0xffff_ffffn) * WORD;
    const literals = Number(marker >> 33n);
    if (position + run > most + WORD || index + literals >= words + 1) throw new RangeError("too long");
    if ((marker & 1n) === 1n) for (let bit = 0; bit < run; bit += 1) set.add(position + bit);
    position += run;
    for (let literal = 1; literal <= literals; literal += 1, position += WORD) {
      const word = wordAt(index + literal);
      for (let bit = 0; bit < WORD; bit += 1)
        if (((word >> BigInt(bit)) & 1n) === 1n) set.add(position + bit);
    }
    index += literals + 1;
  }
  return { set, end: at + 8 + 8 * words + 4 };
}
