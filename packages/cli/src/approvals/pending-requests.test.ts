import type { WaitingRequest } from "@toolkeep/core";
import { describe, expect, test } from "vitest";
import { findRequest } from "./pending-requests.ts";

const waiting = (id: string, sessionId = "s1"): WaitingRequest => ({
  sessionId,
  askedAt: 0,
  request: { id, sessionId: "s", callId: "c", toolName: "t", questions: [] },
});

const KEY = "0123456789abcdef01234567";
const ONE = waiting(`m-${KEY}-11112222/c/ask`);
const TWO = waiting(`m-${KEY}-33334444/c/ask`);

describe("a pending request", () => {
  test.each([ONE.request.id, `m-${KEY}-11112222`, `m-${KEY}-11112222/c`, "11112222", `s1:${ONE.request.id}`])(
    "matches the id %s",
    (id) => {
      expect(findRequest(id, [ONE, TWO])).toBe(ONE);
    },
  );

  test.each(["m-", `m-${KEY}`, `m-${KEY}-`, `m-${KEY}-1111`, "1111", "1111222", "2222", KEY, "", "s1:m-"])(
    "does not match %j, which has fewer than eight random digits",
    (id) => {
      expect(() => findRequest(id, [ONE])).toThrow("No pending request");
    },
  );

  test.each([
    [`m-${KEY}`, "2 pending requests begin with it"],
    ["1111", "1 pending request begins with it"],
  ])("does not match %s, and the hint says how many begin with it", (id, hint) => {
    expect(() => findRequest(id, [ONE, TWO])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) }),
    );
    expect(() => findRequest("other", [ONE])).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining("too short") }),
    );
  });

  test("does not match an id that several requests have", () => {
    const other = waiting(ONE.request.id, "s2");
    expect(() => findRequest(ONE.request.id, [ONE, other])).toThrow("matches 2 pending requests");
    expect(findRequest(`s2:${ONE.request.id}`, [ONE, other])).toBe(other);
  });
});
