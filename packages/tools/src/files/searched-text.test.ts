import fc from "fast-check";
import { expect, test } from "vitest";
import { LONGEST_PART, narrowed, SearchedText } from "./searched-text.ts";

/** Windows begin at multiples of this. */
const WINDOW = 65_536;

/** Three windows of dots, with marks near their borders. */
const markedText = fc
  .array(
    fc.tuple(
      fc.constantFrom(0, 1, 2, 3),
      fc.integer({ min: -80, max: 80 }),
      fc.constantFrom("a", "ab", "\n", "a\n", "b".repeat(LONGEST_PART)),
    ),
    { maxLength: 12 },
  )
  .map((marks) => {
    const bytes = new Uint8Array(3 * WINDOW - 7).fill(0x2e);
    for (const [window, shift, mark] of marks) {
      const at = window * WINDOW + shift;
      if (at >= 0 && at + mark.length <= bytes.length) bytes.set(new TextEncoder().encode(mark), at);
    }
    return bytes;
  });
const offset = fc
  .tuple(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: -90, max: 90 }))
  .map(([window, shift]) => Math.min(Math.max(0, window * WINDOW + shift), 3 * WINDOW - 7));

test("a part is found wherever a window ends", () => {
  const part = fc.constantFrom("a", "ab", "a\n", ".a", "b".repeat(LONGEST_PART), "c");
  let found = 0;
  fc.assert(
    fc.property(markedText, part, fc.array(offset, { maxLength: 4 }), (bytes, wanted, offsets) => {
      const text = new SearchedText(bytes);
      const whole = narrowed(bytes);
      for (const from of [0, ...offsets]) {
        const at = text.indexOf(wanted, from);
        expect(at).toBe(whole.indexOf(wanted, from));
        if (at !== -1) found += 1;
      }
    }),
    { numRuns: 150 },
  );
  expect(found).toBeGreaterThan(50);
});

test("lines are counted the same in any order", () => {
  fc.assert(
    fc.property(markedText, fc.array(offset, { minLength: 1, maxLength: 5 }), (bytes, offsets) => {
      const text = new SearchedText(bytes);
      const whole = narrowed(bytes);
      for (const at of offsets) {
        expect(text.lineAt(at)).toBe(whole.slice(0, at).split("\n").length);
        expect(text.startOfLine(at)).toBe(whole.slice(0, at).lastIndexOf("\n") + 1);
        expect(text.endOfLine(at)).toBe(whole.indexOf("\n", at) + 1 || bytes.length);
      }
    }),
    { numRuns: 150 },
  );
});

test("an empty text has one line and no parts", () => {
  const text = new SearchedText(new Uint8Array(0));
  expect([text.indexOf("a", 0), text.lineAt(0), text.startOfLine(0), text.endOfLine(0)]).toEqual([
    -1, 1, 0, 0,
  ]);
});
