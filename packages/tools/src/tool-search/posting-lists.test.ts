import { expect, test } from "vitest";
import { PostingLists } from "./posting-lists.ts";

test("a merge adds new tools to the lists of their terms", () => {
  const old = merged(new PostingLists(), { tools: [["file", "read"], ["file"]], renumbered: [0, 1] });
  const lists = merged(old, { tools: [["read", "mail"]], renumbered: [0, 1, 2] });
  expect(listsOf(lists)).toEqual({ file: [0, 1], read: [0, 2], mail: [2] });
});

test("a merge drops removed tools, and the terms that only they had", () => {
  const old = merged(new PostingLists(), {
    tools: [["file", "secret"], ["file"], ["read"]],
    renumbered: [0, 1, 2],
  });
  const lists = merged(old, { tools: [["mail"], ["read", "other"]], renumbered: [-1, 0, 1, -1, 2] });
  expect(listsOf(lists)).toEqual({ file: [0], read: [1, 2], other: [2] });
});

test("weights stay with their tools", () => {
  const lists = merged(new PostingLists(), { tools: [["a"], ["a"], ["a"]], renumbered: [-1, 0, 1] });
  expect([...lists.weights]).toEqual([1, 2]);
});

interface Added {
  /** The terms of each added tool; its index here is the weight of all of them. */
  readonly tools: readonly (readonly string[])[];
  readonly renumbered: readonly number[];
}

function merged(lists: PostingLists, { tools, renumbered }: Added): PostingLists {
  for (const [at, terms] of tools.entries()) {
    const tool = renumbered.length - tools.length + at;
    lists.add(tool, new Map(terms.map((term) => [term, at])));
  }
  lists.merge(Int32Array.from(renumbered));
  return lists;
}

function listsOf({ positions, starts, tools }: PostingLists): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    Array.from(positions, ([term, position]) => [
      term,
      [...tools.slice(starts[position], starts[position + 1])],
    ]),
  );
}
