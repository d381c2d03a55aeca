import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeExactly, encodeExactly, exactDecoder, exactEncoder } from "./exact-text.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 500);

/** Bytes that mix valid and broken text. */
const mixed = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.string({ unit: "grapheme", maxLength: 6 }).map((text) => new TextEncoder().encode(text)),
      fc
        .constantFrom([0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80])
        .map(Buffer.from),
    ),
  )
  .map((parts) => Buffer.concat(parts));

test("bytes survive decoding and encoding, wherever they and their text are cut", () => {
  fc.assert(
    fc.property(
      mixed,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (bytes, cut, textCut) => {
        const decoder = exactDecoder();
        let text = "";
        for (let at = 0; at < bytes.length; at += cut) text += decoder.push(bytes.subarray(at, at + cut));
        text += decoder.end();
        expect(text).toBe(decodeExactly(bytes));
        const encoder = exactEncoder();
        const back: Uint8Array[] = [];
        for (let at = 0; at < text.length; at += textCut)
          back.push(encoder.push(text.slice(at, at + textCut)));
        expect(Buffer.concat([...back, encoder.end()]).equals(bytes)).toBe(true);
        expect(Buffer.from(encodeExactly(text)).equals(bytes)).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});

test("valid text between broken bytes is decoded as text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodeExactly(Buffer.concat([Buffer.of(0xff), Buffer.from(text), Buffer.of(0x80)]))).toBe(
        `\udcff${text}\udc80`,
      );
    }),
    { numRuns: RUNS },
  );
});
