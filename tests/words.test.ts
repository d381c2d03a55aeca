import { expect, test } from "vitest";
import { findRetiredWords, partsOf } from "../scripts/words/find-words.ts";

function found(path: string, text: string) {
  return findRetiredWords({ path, text }).map(
    ({ line, column, kind, word }) => `${line}:${column} ${kind} ${word}`,
  );
}

test("a planted word of each kind is found, with its position", () => {
  expect(found("a.ts", "const wallsOf = 1;\nclass A { #handsOf() {} }")).toEqual([
    "1:7 name wallsOf",
    "2:11 name handsOf",
  ]);
  expect(found("a.ts", 'throw new Failure("foresee_failed", { stage: "confine" });')).toEqual([
    "1:20 name foresee_failed",
    "1:47 prose confine",
  ]);
  expect(found("packages/node/src/walls-for.ts", "")).toEqual(["0:0 file-name walls-for.ts"]);
  expect(found("a.ts", "/** No rule speaks of this. */\nexport const a = 1;")).toEqual([
    "1:13 prose speaks of",
  ]);
  expect(found("a.test.ts", 'test("[C44] a deny gives way to nothing", () => {});')).toEqual([
    "1:20 prose gives way",
  ]);
  expect(found("a.md", "# A\n\nThe embedder says `sealApproval`.")).toEqual([
    "3:5 prose embedder",
    "3:20 name sealApproval",
  ]);
});

test("each use says what to write instead", () => {
  expect(findRetiredWords({ path: "a.md", text: "Mend it first." })).toMatchObject([
    { word: "Mend", say: "to fix" },
  ]);
});

test("ordinary English and longer words are not found", () => {
  const text =
    "Leave it in place, by hand; a wildcard, the default, a background upgrade, wall clock, shorthand.";
  expect(found("a.md", text)).toEqual([]);
  expect(found("a.ts", "const inFlight = desktop.recommend(shorthand);")).toEqual([]);
});

test("names are compared by their parts", () => {
  expect(partsOf("NO_HANDS")).toEqual(["no", "hands"]);
  expect(partsOf("readHTTPWalls2.ts")).toEqual(["read", "http", "walls", "ts"]);
});

test("an exception holds only where all of it matches", () => {
  const file = { path: "a.ts", text: 'const user = "nobody";\n// nobody reads this' };
  const exception = { reason: "the Unix user", word: /^nobody$/, line: /user/ };
  expect(findRetiredWords(file, [exception]).map(({ line }) => line)).toEqual([2]);
});
