import type { WaitingRequest } from "@toolkeep/sqlite";
import { describe, expect, test } from "vitest";
import { findWaiting } from "./find-waiting.ts";

const waiting = (id: string, sessionId = "s1"): WaitingRequest => ({
  sessionId,
  askedAt: 0,
  request: { id, sessionId: "s", callId: "c", toolName: "t", questions: [] },
});

const KEY = "0123456789abcdef01234567";
const ONE = waiting(`m-${KEY}-11112222/c/ask`);
const TWO = waiting(`m-${KEY}-33334444/c/ask`);

describe("a request that waits", () => {
  test.each([ONE.request.id, `m-${KEY}-11112222`, `m-${KEY}-11112222/c`, "11112222", `s1:${ONE.request.id}`])(
    "is meant by %s",
    (id) => {
      expect(findWaiting(id, [ONE, TWO])).toBe(ONE);
    },
  );

  test.each(["m-", `m-${KEY}`, `m-${KEY}-`, `m-${KEY}-1111`, "1111", "1111222", "2222", KEY, "", "s1:m-"])(
    "is not meant by %j, which has less than eight digits that nobody chose",
    (id) => {
      expect(() => findWaiting(id, [ONE])).toThrow("Nothing waits");
    },
  );

  test.each([
    [`m-${KEY}`, "2 that wait begin with it"],
    ["1111", "one that waits begins with it"],
  ])("is not meant by %s, and it is said how many begin so", (id, words) => {
    expect(() => findWaiting(id, [ONE, TWO])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(words) }),
    );
    expect(() => findWaiting("other", [ONE])).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining("too short") }),
    );
  });

  test("is not meant by an id that several have", () => {
    const other = waiting(ONE.request.id, "s2");
    expect(() => findWaiting(ONE.request.id, [ONE, other])).toThrow("means 2 that wait");
    expect(findWaiting(`s2:${ONE.request.id}`, [ONE, other])).toBe(other);
  });
});
