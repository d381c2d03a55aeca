import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeText, readTextForm, type TextForm } from "./text-form.ts";

const bytesOf = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

function formOf(bytes: Uint8Array): { text: string; form: TextForm } {
  const content = readTextForm(bytes);
  if (content.isBinary) throw new Error("The text was classified as binary.");
  return content;
}

describe("a text is restored byte for byte", () => {
  const line = fc.string({ unit: "binary", maxLength: 20 }).filter((text) => !/[\0\r\n\ufeff]/.test(text));
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  const text = fc.array(fc.tuple(line, ending), { maxLength: 20 }).map((lines) => lines.flat().join(""));
  const encoded = fc.tuple(
    text,
    fc.constantFrom<TextForm["encoding"]>("utf-8", "utf-16le", "utf-16be"),
    fc.boolean(),
  );

  test("with any encoding and line ending", () => {
    fc.assert(
      fc.property(encoded, ([written, encoding, mark]) => {
        const isMarked = mark || encoding !== "utf-8";
        const bytes = encodeText(written, { encoding, mark: isMarked });
        const read = formOf(bytes);
        expect(read.form).toMatchObject({ encoding, mark: isMarked });
        expect(encodeText(read.text, read.form)).toEqual(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  test("also for arbitrary bytes that are not classified as binary", () => {
    let texts = 0;
    const some = fc.uint8Array({ maxLength: 60 });
    const plain = fc.array(fc.constantFrom(...Buffer.from("ab \r\n\té"), 0xe9, 0xff, 0xfe), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          some,
          plain.map((bytes) => new Uint8Array(bytes)),
        ),
        (bytes) => {
          const content = readTextForm(bytes);
          if (content.isBinary) return;
          texts += 1;
          expect(encodeText(content.text, content.form)).toEqual(bytes);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(texts).toBeGreaterThan(400);
  });
});

describe("the form of a text", () => {
  test.each([
    ["plain", bytesOf("a\nb"), { encoding: "utf-8", mark: false }],
    ["empty", bytesOf(), { encoding: "utf-8", mark: false }],
    ["with a byte order mark", bytesOf([0xef, 0xbb, 0xbf], "a\r\n"), { encoding: "utf-8", mark: true }],
    ["wide", bytesOf([0xff, 0xfe, 0x61, 0, 0x0a, 0]), { encoding: "utf-16le", mark: true }],
    ["big-endian", bytesOf([0xfe, 0xff, 0, 0x61]), { encoding: "utf-16be", mark: true }],
    ["old", bytesOf("caf", [0xe9], "\n"), { encoding: "latin-1", mark: false }],
  ] as const)("%s", (_name, bytes, form) => {
    expect(formOf(bytes).form).toEqual(form);
  });

  test("refuses characters that an older encoding lacks instead of replacing them", () => {
    const { text, form } = formOf(bytesOf("caf", [0xe9], " creme"));
    expect(() => encodeText(`${text} ✓`, form)).toThrow("its encoding lacks");
  });

  test.each([
    ["a NUL", bytesOf("a\0b")],
    ["an image", bytesOf([0x89], "PNG\r\n", [0x1a, 0x0a, 0, 0, 0, 0x0d])],
    ["half a wide character", bytesOf([0xff, 0xfe, 0x61])],
    ["characters of four bytes", bytesOf([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ["noise", bytesOf([0x81, 0x9d, 0xfe, 0xc0, 0x41, 0xff])],
  ])("%s is binary", (_name, bytes) => {
    expect(readTextForm(bytes).isBinary).toBe(true);
  });
});
