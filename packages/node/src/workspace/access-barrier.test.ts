import type { Effect } from "@toolkeep/core";
import { fsRead, fsWrite, netFetch } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { expect, test } from "vitest";
import { withoutCommands } from "./access-barrier.ts";

function grant(contained: boolean) {
  const checked: Effect[] = [];
  const given = { check: (access: Effect) => checked.push(access), ...(contained ? { contained } : {}) };
  return { checked, direct: withoutCommands(given as unknown as Grant) };
}

test("a contained call reads by itself, and changes and reaches nothing but by its commands", () => {
  const { direct, checked } = grant(true);
  direct.check(fsRead("/project/a.txt"));
  for (const access of [fsWrite("/project/a.txt"), netFetch("api.example")])
    expect(() => direct.check(access)).toThrow("by commands alone");
  expect(checked).toEqual([fsRead("/project/a.txt")]);
});

test("any other call is checked as it was", () => {
  const { direct, checked } = grant(false);
  direct.check(fsWrite("/project/a.txt"));
  expect(checked).toHaveLength(1);
});
