import { readFile, writeFile } from "node:fs/promises";
import { applyPatch } from "diff";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileBench, openFileBench } from "./file-bench.ts";

const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 400);

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

type Encoding = "utf-8" | "marked utf-8" | "utf-16le" | "utf-16be" | "latin-1";

interface Edit {
  readonly encoding: Encoding;
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

// Few distinct characters, so that the searched text occurs often, and often more than once.
const piece = fc.constantFrom("a", "b", "ab", "é", "$&", " ", "\n", "\r\n", "\r", "\n\n");
const wide = fc.constantFrom("☕", "🍵", "\ufeff", "\u0301");
const encoding = fc.constantFrom<Encoding>("utf-8", "marked utf-8", "utf-16le", "utf-16be", "latin-1");
const latin = (most: number) => fc.array(piece, { maxLength: most }).map((pieces) => pieces.join(""));
const any = (most: number) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: piece }, wide), { maxLength: most })
    .map((pieces) => pieces.join(""));

/** A part of the text with the line endings of a model, with its own, or something else. */
const edits: fc.Arbitrary<Edit> = encoding.chain((encoding) =>
  (encoding === "latin-1" ? latin : any)(40).chain((text) => {
    const words = encoding === "latin-1" ? latin : any;
    const part = fc.tuple(fc.nat(text.length), fc.nat(12), fc.boolean()).map(([start, length, plain]) => {
      const cut = text.slice(start, start + length);
      return plain ? cut.replaceAll("\r\n", "\n") : cut;
    });
    const old = fc
      .oneof({ weight: 4, arbitrary: part }, words(4))
      .filter((value) => value !== "" && value.isWellFormed());
    return fc.record({
      encoding: fc.constant(encoding),
      text: fc.constant(text),
      old,
      fresh: words(8),
      all: fc.boolean(),
    });
  }),
);

test(`no byte outside a match changes, for any encoding and line ending (${RUNS} edits)`, async () => {
  const outcomes = { changed: 0, refused: 0 };
  const path = bench.at("fuzz.txt");
  await fc.assert(
    fc.asyncProperty(edits, async (edit) => {
      const before = encoded(edit.text, edit.encoding);
      fc.pre(edit.old !== edit.fresh && isWhatItSays(edit));
      await writeFile(path, before);
      const { old, fresh, all } = edit;
      const args = { path, old_string: old, new_string: fresh, replace_all: all };
      const result = await bench.call("edit", args);
      const wanted = isBinary(edit) ? undefined : referenceEdit(edit);
      const after = await readFile(path);
      expect(result.ok).toBe(wanted !== undefined);
      expect(after.equals(wanted === undefined ? before : encoded(wanted, edit.encoding))).toBe(true);
      if (wanted !== undefined) expectDiff(result.details, edit.text, wanted);
      outcomes[result.ok ? "changed" : "refused"] += 1;
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(outcomes.changed, outcomes.refused)).toBeGreaterThan(RUNS / 100);
});

/** The diff shown to people turns the old text into the new one. */
function expectDiff(details: unknown, before: string, after: string): void {
  const { diff } = details as { diff: string };
  expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after);
}

/** The bytes must not look like another encoding. */
function isWhatItSays({ encoding, text }: Edit): boolean {
  if (encoding === "latin-1") return text.includes("é");
  return encoding !== "utf-8" || !text.startsWith("\ufeff");
}

function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === "latin-1") return Buffer.from(text, "latin1");
  if (encoding === "utf-8") return Buffer.from(text);
  if (encoding === "marked utf-8") return Buffer.from(`\ufeff${text}`);
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  return encoding === "utf-16le" ? little : little.swap16();
}

/** So much of it is not ASCII that it is classified as binary. */
function isBinary({ encoding, text, old, fresh }: Edit): boolean {
  if (encoding !== "latin-1" || !/[^\0-\x7f]/.test(old + fresh)) return false;
  return text.split("é").length - 1 > text.length * 0.3;
}

/** The reference implementation: a text of units, a line ending being one. `undefined` means refused. */
function referenceEdit({ text, old, fresh, all }: Edit): string | undefined {
  const isLiteral = /\r/.test(old + fresh) && text.includes(old);
  const units = isLiteral ? text.split("") : (text.match(/\r\n|./gs) ?? []);
  const wanted = isLiteral ? old : old.replaceAll("\r\n", "\n");
  const plain = units.map((unit) => (unit === "\r\n" ? "\n" : unit)).join("");
  const starts = startsOf(plain, wanted, all);
  if (starts.length === 0 || (starts.length > 1 && !all)) return undefined;
  let result = "";
  let done = 0;
  for (const start of starts) {
    const end = start + wanted.length;
    const inside = units.slice(start, end);
    result += units.slice(done, start).join("");
    result += isLiteral ? fresh : withEndings(fresh, inside, units.slice(end), units);
    done = end;
  }
  return result + units.slice(done).join("");
}

function startsOf(text: string, wanted: string, apart: boolean): number[] {
  const starts: number[] = [];
  const step = apart ? wanted.length : 1;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) starts.push(at);
  return starts;
}

function withEndings(
  fresh: string,
  inside: readonly string[],
  after: readonly string[],
  all: readonly string[],
): string {
  const isEnding = (unit: string) => unit === "\n" || unit === "\r\n";
  const own = inside.filter(isEnding);
  const near = after.find(isEnding) ?? all.findLast(isEnding) ?? "\n";
  let count = 0;
  return fresh.replaceAll(/\r?\n/g, () => {
    const ending = own[count] ?? own.at(-1) ?? near;
    count += 1;
    return ending;
  });
}
