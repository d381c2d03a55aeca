import { expect, test } from "vitest";
import { splitLink } from "./split-link.ts";

/** An extension `link` with two bitmaps, each given as 32-bit words: bits, words, the words, the last marker. */
function linkOf(...bitmaps: readonly (readonly number[])[]): Buffer {
  const numbers = bitmaps.flat();
  const bytes = Buffer.alloc(8 + 20 + 4 * numbers.length);
  bytes.write("link");
  bytes.writeUInt32BE(bytes.length - 8, 4);
  bytes.fill(0xab, 8, 28);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 28 + 4 * at);
  return bytes;
}

function positions(bits: Uint8Array | undefined): readonly number[] {
  return [...(bits ?? [])].flatMap((bit, at) => (bit === 1 ? [at] : []));
}

/** A marker: whether the run is of ones, how many words it stands for, how many words follow. */
function marker(isSet: boolean, run: number, literals: number): readonly number[] {
  return [(literals << 1) | (run >>> 31), (run << 1) | (isSet ? 1 : 0)];
}

const EMPTY = [0, 1, ...marker(false, 0, 0), 0];

test("bits are read from words as they are, and from runs", () => {
  const link = linkOf(
    [70, 3, ...marker(false, 0, 2), 0x80000000, 0x00000005, 0, 0x20, 0],
    [192, 3, ...marker(true, 1, 0), ...marker(false, 1, 1), 0, 1, 1],
  );
  const read = splitLink(link, 8, 20);
  expect(read?.shared).toBe("ab".repeat(20));
  expect(positions(read?.deleted)).toEqual([0, 2, 63, 69]);
  expect(positions(read?.replaced)).toEqual([...Array.from({ length: 64 }, (_, at) => at), 128]);
});

test("an index may have no shared file and no bitmaps", () => {
  const link = linkOf().fill(0, 8, 28);
  expect(splitLink(link, 8, 20)).toEqual({
    shared: undefined,
    deleted: new Uint8Array(),
    replaced: new Uint8Array(),
  });
});

test.each([
  ["more bits than any index has entries", linkOf([2 ** 31, 1, ...marker(true, 1, 0), 0], EMPTY)],
  ["a run beyond its bits", linkOf([64, 1, ...marker(true, 2 ** 31, 0), 0], EMPTY)],
  ["more words than it has", linkOf([64, 1, ...marker(false, 0, 9), 0], EMPTY)],
  ["a bitmap that ends early", linkOf([64, 9])],
  ["something after the bitmaps", linkOf(EMPTY, EMPTY, [1])],
  ["one bitmap", linkOf(EMPTY)],
])("what git would not have written is not read: %s", (_name, link) => {
  expect(splitLink(link, 8, 20)).toBeUndefined();
});
