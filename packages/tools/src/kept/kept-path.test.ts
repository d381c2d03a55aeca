import { expect, test } from "vitest";
import { isKeptPath } from "./kept-path.ts";

const HASH = "0123456789abcdef".repeat(4);

test.each([
  [`sha256:${HASH}`, true],
  ["memory:1-1", true],
  [`/home/user/.cache/toolkeep/s1/${HASH.slice(0, 32)}.out`, true],
  [`sha256:${HASH}/../../etc/passwd`, false],
  [`sha256:${HASH.toUpperCase()}`, false],
  [`./sha256:${HASH}`, false],
  [`${HASH.slice(0, 32)}.out`, false],
])("whether %s is the path of a kept output: %s", (path, isKept) => {
  expect(isKeptPath(path)).toBe(isKept);
});
