/** What a split index says about the shared file that it builds on. */
export interface SplitLink {
  /** The hash in the name of the shared file; `undefined` if there is none. */
  readonly shared: string | undefined;
  /** For each entry of the shared file, by its position: 1 if it is gone. */
  readonly deleted: Uint8Array;
  /** 1 if it has a newer record. */
  readonly replaced: Uint8Array;
}

const NONE = new Uint8Array();

/** Reads the extension `link` (https://git-scm.com/docs/index-format); `undefined` if git would not have written it. */
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

/** An index of this many entries is larger than any that is read. */
const MOST_BITS = 2 ** 21;
const WORD = 64;

/**
 * The bits of a compressed bitmap (EWAH): words that stand for a run of equal words and say how many words follow as
 * they are.
 * @throws RangeError for one that is longer than it says.
 */
function readBits(bytes: Buffer, at: number) {
  const most = bytes.readUInt32BE(at);
  const words = bytes.readUInt32BE(at + 4);
  if (most > MOST_BITS) throw new RangeError("too many bits");
  const set = new Uint8Array(most + WORD);
  let position = 0;
  for (let index = 0; index < words; ) {
    const markerAt = at + 8 + 8 * index;
    const [high, low] = [bytes.readUInt32BE(markerAt), bytes.readUInt32BE(markerAt + 4)];
    // One bit for the run, 32 for its length, 31 for how many words follow.
    const run = ((low >>> 1) + (high & 1) * 2 ** 31) * WORD;
    const literals = high >>> 1;
    const end = position + run + literals * WORD;
    if (end > set.length || index + literals >= words) throw new RangeError("too long");
    if ((low & 1) === 1) set.fill(1, position, position + run);
    position += run;
    for (let literal = 1; literal <= literals; literal += 1, position += WORD)
      setBits(set, position, bytes.subarray(markerAt + 8 * literal, markerAt + 8 * literal + 8));
    index += literals + 1;
  }
  return { set, end: at + 8 + 8 * words + 4 };
}

/** The last bit of the last byte comes first. */
function setBits(set: Uint8Array, position: number, word: Buffer): void {
  for (let bit = 0; bit < WORD; bit += 1)
    if ((word.readUInt8(7 - (bit >> 3)) >> (bit & 7)) & 1) set[position + bit] = 1;
}
