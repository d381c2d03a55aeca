import { createTwoFilesPatch, structuredPatch } from "diff";
import fc from "fast-check";

/** A file, what it has become since the patch was made, and the patch. */
export interface RandomPatch {
  readonly file: string;
  readonly patch: string;
}

/** A patch without line numbers, and what it says in a plain form. */
export interface RandomEnvelope extends RandomPatch {
  readonly hunks: readonly PlainHunk[];
}

export interface PlainHunk {
  readonly anchors: readonly string[];
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  readonly atEnd: boolean;
}

interface Texts {
  readonly before: string;
  readonly after: string;
  readonly file: string;
}

// Few distinct lines, so that a hunk often fits in several places.
const line = fc.constantFrom("a", "b", "  b", "c", "", "--- x", "+++ y", "@@ -1 +1 @@", "*** End Patch");
const lines = fc.array(line, { maxLength: 14 });
type Change = readonly [number, number, readonly string[]];
const change: fc.Arbitrary<Change> = fc.tuple(fc.nat(14), fc.nat(3), fc.array(line, { maxLength: 3 }));

function changed(base: readonly string[], changes: readonly Change[]): readonly string[] {
  return changes.reduce(
    (now, [at, count, fresh]) => now.toSpliced(at % (now.length + 1), count, ...fresh),
    [...base],
  );
}

const texts: fc.Arbitrary<Texts> = fc
  .record({
    base: lines,
    changes: fc.array(change, { minLength: 1, maxLength: 3 }),
    drift: fc.array(change, { maxLength: 2 }),
    ending: fc.constantFrom("\n", "\r\n"),
    isUnended: fc.boolean(),
    endsOtherwise: fc.boolean(),
  })
  .map(({ base, changes, drift, ending, isUnended, endsOtherwise }) => {
    const joined = (parts: readonly string[], isOpen: boolean) =>
      parts.length === 0 ? "" : `${parts.join(ending)}${isOpen ? "" : ending}`;
    return {
      before: joined(base, isUnended),
      after: joined(changed(base, changes), isUnended !== endsOtherwise),
      file: joined(changed(base, drift), isUnended),
    };
  })
  .filter(({ before, after }) => before !== after);

/**
 * Unified diffs with line numbers, of files that have drifted. Where a line has no ending, the file is the one that the
 * patch was made of: git compares such a line with the beginnings of others, and joins two lines then.
 */
export const unifiedPatches: fc.Arbitrary<RandomPatch> = fc
  .tuple(texts, fc.integer({ min: 1, max: 3 }))
  .map(([{ before, after, file }, context]) => {
    const patch = createTwoFilesPatch("a/f", "b/f", before, after, "", "", { context });
    return { file: patch.includes("\n\\ ") ? before : file, patch };
  })
  .filter(({ patch }) => patch.includes("@@"));

/** Patches between `*** Begin Patch` and `*** End Patch`. */
export const envelopes: fc.Arbitrary<RandomEnvelope> = fc
  .tuple(texts, fc.integer({ min: 1, max: 3 }), fc.array(fc.nat(14), { maxLength: 3 }), fc.boolean())
  .map(([{ before, after, file }, context, marks, saysEnd]) => {
    const plain = before.replaceAll("\r\n", "\n");
    const known = plain.split("\n");
    const found = structuredPatch("f", "f", plain, after.replaceAll("\r\n", "\n"), "", "", { context }).hunks;
    const hunks = found.map(({ lines: all, oldStart, oldLines }, index): PlainHunk => {
      const body = all.filter((one) => !one.startsWith("\\"));
      const mark = marks[index];
      const above = mark === undefined || oldStart < 2 ? undefined : known[mark % (oldStart - 1)];
      return {
        anchors: above === undefined || above === "" ? [] : [above],
        old: body.filter((one) => !one.startsWith("+")).map((one) => one.slice(1)),
        fresh: body.filter((one) => !one.startsWith("-")).map((one) => one.slice(1)),
        atEnd: saysEnd && oldStart + oldLines > known.length - 1,
      };
    });
    const bodies = found.map(({ lines: all }, index) => [
      ...(hunks[index]?.anchors.length === 0
        ? ["@@"]
        : (hunks[index]?.anchors ?? []).map((one) => `@@ ${one}`)),
      ...all.filter((one) => !one.startsWith("\\")),
      ...(hunks[index]?.atEnd === true ? ["*** End of File"] : []),
    ]);
    const patch = ["*** Begin Patch", "*** Update File: f", ...bodies.flat(), "*** End Patch", ""].join("\n");
    return { file, patch, hunks };
  })
  .filter(({ hunks }) => hunks.length > 0);
