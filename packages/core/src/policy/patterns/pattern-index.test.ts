import fc from "fast-check";
import { expect, test } from "vitest";
import { joinCommand } from "../../contract/call/effect.ts";
import { compileGlob, type TargetKind } from "./compile-glob.ts";
import { indexPatterns } from "./pattern-index.ts";

const unit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "ab", "-a", ".a", "a.b", "git", "push") },
  { weight: 1, arbitrary: fc.constantFrom("*", "**", "?", "*.b", "a*", "?b", "*b*", "a*b", "-*", "***") },
  { weight: 1, arbitrary: fc.constantFrom("{a,b}", "{a,*}", "*{a,}", "{**,a}", "{a/b,b}", "{a", "[a]") },
);
const odd = fc.constantFrom("", "/", "**", "*", " ", ".", "..", "'a b'", "/a//b", "/usr/bin/git -C a push");
const units = fc.array(unit, { minLength: 1, maxLength: 4 });

function textOf(kind: Exclude<TargetKind, "visible">): fc.Arbitrary<string> {
  const joined = {
    path: fc.tuple(fc.constantFrom("/", ""), units).map(([root, segments]) => root + segments.join("/")),
    command: fc.oneof(
      units.map((words) => words.join(" ")),
      units.map(joinCommand),
    ),
    text: units.map((parts) => parts.join(".")),
  };
  return fc.oneof({ weight: 12, arbitrary: joined[kind] }, { weight: 1, arbitrary: odd });
}

test.each(["path", "command", "text"] as const)(
  "an index finds the %s patterns that grip, and no others",
  (kind) => {
    let found = 0;
    const text = textOf(kind);
    const indexed = fc.record({
      pattern: text,
      grip: fc.constantFrom("matches" as const, "mayMatch" as const),
    });
    fc.assert(
      fc.property(
        fc.array(indexed, { maxLength: 12 }),
        fc.array(text, { maxLength: 6 }),
        (patterns, targets) => {
          const index = indexPatterns(patterns.map((one, entry) => ({ ...one, entry })));
          for (const target of targets) {
            const expected = patterns.flatMap(({ pattern, grip }, entry) =>
              compileGlob(pattern)[grip](target, kind) ? [entry] : [],
            );
            expect(index.find(target, kind).toSorted((one, other) => one - other)).toEqual(expected);
            found += expected.length;
          }
        },
      ),
      { numRuns: 5_000 },
    );
    expect(found).toBeGreaterThan(1_000);
  },
);

test("one index serves all kinds", () => {
  const patterns = ["/a/*", "a *", "*.a", "**"].map(
    (pattern) => ({ pattern, grip: "matches", entry: pattern }) as const,
  );
  const index = indexPatterns(patterns);
  expect(index.find("/a/b", "path")).toEqual(["**", "/a/*"]);
  expect(index.find("a b c", "command")).toEqual(["**", "a *"]);
  expect(index.find("b.a", "text")).toEqual(["**", "*.a"]);
  expect(index.find("/a/b", "path")).toEqual(["**", "/a/*"]);
});

test("what cannot be read or is too long grips where it forbids, and never where it allows", () => {
  const unreadable = "{a,b}".repeat(9);
  const index = indexPatterns(
    (["matches", "mayMatch"] as const).flatMap((grip) => [
      { pattern: unreadable, grip, entry: `unreadable ${grip}` },
      { pattern: "/a/**", grip, entry: `readable ${grip}` },
    ]),
  );
  for (const kind of ["path", "command", "text"] as const) {
    expect(index.find("aaaaaaaaa", kind)).toEqual(["unreadable mayMatch"]);
    expect(index.find("/b".repeat(40_000), kind)).toEqual(["unreadable mayMatch", "readable mayMatch"]);
  }
});

test("the cost of a search does not grow with the patterns that cannot match", () => {
  const filler = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      `/x${at}/**`,
      `/r/**/*.e${at}`,
      `/r/d${at}/*/f*`,
      `**/n${at}/**`,
      `n${at} *`,
    ])
      .flat()
      .map((pattern) => ({ pattern, grip: "mayMatch", entry: pattern }) as const);
  const timed = (count: number) => {
    const index = indexPatterns(filler(count));
    return () => {
      const start = performance.now();
      for (let at = 0; at < 2_000; at += 1) index.find(`/r/a/b${at}/c.ts`, "path");
      return performance.now() - start;
    };
  };
  const [small, large] = [timed(50), timed(5_000)];
  for (const search of [small, large]) search();
  // One after the other, so that whatever else the machine does slows both.
  const times = Array.from({ length: 9 }, () => [small(), large()] as const);
  const [least, most] = [0, 1].map((at) => Math.min(...times.map((both) => both[at] ?? 0)));
  expect(Number(most) / Number(least)).toBeLessThan(8);
});
