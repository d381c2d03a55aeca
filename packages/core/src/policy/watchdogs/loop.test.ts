import { expect, test } from "vitest";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { loop } from "./loop.ts";

const call = judgedCall({ tool: "list_files", effects: [], args: { path: "a" } });
const last = { toolName: "list_files", argsText: call.argsText };

const judge = (before: object | undefined, times?: number) =>
  loop(times).judge(call, circumstancesOf({ last: before as never }));

test("the fifth same call in a row asks, and so does every one after it", () => {
  expect(judge(undefined)).toEqual({ action: "allow" });
  expect(judge({ ...last, times: 3 })).toEqual({ action: "allow" });
  for (const times of [4, 300]) {
    expect(judge({ ...last, times })).toEqual({
      action: "ask",
      reason: `list_files was called ${times + 1} times in a row with the same arguments.`,
    });
  }
});

test("another call in between starts the count again", () => {
  expect(judge({ ...last, argsText: "{}", times: 9 })).toEqual({ action: "allow" });
  expect(judge({ ...last, toolName: "other", times: 9 })).toEqual({ action: "allow" });
  expect(judge({ ...last, times: 2 }, 3)).toMatchObject({ action: "ask" });
});

test.each([1, 0, -1, 2.5, Number.NaN])("%s times are refused", (times) => {
  expect(() => loop(times)).toThrow(/whole number from 2/);
});
