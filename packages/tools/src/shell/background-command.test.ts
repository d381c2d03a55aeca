import { expect, test } from "vitest";
import { UnreadOutput } from "./background-command.ts";

function filled(...pieces: readonly string[]): UnreadOutput {
  const unread = new UnreadOutput();
  for (const piece of pieces) unread.push(piece);
  return unread;
}

test("complete lines come first; an incomplete line waits for its end", () => {
  const unread = filled("one\ntwo\nthr");
  expect(unread.take(100, false)).toEqual({ text: "one\ntwo\n", lost: 0, hasMore: false });
  unread.push("ee\n");
  expect(unread.take(100, false)).toEqual({ text: "three\n", lost: 0, hasMore: false });
  expect(unread.isEmpty).toBe(true);
});

test("an incomplete line is returned if it is the only one, because it may be a prompt", () => {
  expect(filled("Go on? ").take(100, false).text).toBe("Go on? ");
});

test("after the end, everything is returned", () => {
  expect(filled("one\ntw").take(100, true)).toEqual({ text: "one\ntw", lost: 0, hasMore: false });
});

test("one read returns at most the requested amount and never splits a character", () => {
  const unread = filled("aaa\nbbb\nccc\n");
  expect(unread.take(9, true)).toEqual({ text: "aaa\nbbb\n", lost: 0, hasMore: true });
  expect(unread.take(9, true)).toEqual({ text: "ccc\n", lost: 0, hasMore: false });
  const emoji = filled("\u{1F600}".repeat(4));
  const pieces = [emoji.take(3, true).text, emoji.take(3, true).text];
  expect(pieces).toEqual(["\u{1F600}", "\u{1F600}"]);
});

test("the oldest output is dropped when there is too much, and the loss is counted once", () => {
  const unread = filled(...Array.from({ length: 5 }, (_, index) => `${index}`.repeat(499_999).concat("\n")));
  const { text, lost, hasMore } = unread.take(2_000_000, true);
  expect(text).toBe(`${"3".repeat(499_999)}\n${"4".repeat(499_999)}\n`);
  expect([lost, hasMore]).toEqual([1_500_000, false]);
  expect(unread.take(10, true).lost).toBe(0);
});
