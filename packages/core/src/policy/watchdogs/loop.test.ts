import { expect, test } from "vitest";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { loop } from "./loop.ts";

const call = judgedCall({ tool: "list_files", effects: [], args: { path: "a" } });
const same = { toolName: "list_files", argsText: call.argsText };

function judge(recent: readonly { toolName: string; argsText: string }[], times?: number) {
  return loop(times).judge(call, circumstancesOf({ recent }));
}

test("the fifth same call in a row asks", () => {
  expect(judge([same, same, same])).toEqual({ action: "allow" });
  expect(judge([same, same, same, same])).toEqual({
    action: "ask",
    reason: "list_files was called 5 times in a row with the same arguments.",
  });
});

test("another call in between starts the count again", () => {
  expect(judge([same, same, { ...same, argsText: "{}" }, same, same])).toEqual({ action: "allow" });
  expect(judge([same, same, { ...same, toolName: "other" }, same, same])).toEqual({ action: "allow" });
  expect(judge([{ ...same, argsText: "{}" }, same, same], 3)).toMatchObject({ action: "ask" });
});

test("long arguments are known by their length and their beginning", () => {
  const long = judgedCall({ tool: "write", effects: [], args: { text: "x".repeat(100) } });
  const kept = (text: string) => ({
    toolName: "write",
    argsText: `${long.argsText.length}:${text.slice(0, 20)}`,
  });
  const judgeLong = (recent: ReturnType<typeof kept>) =>
    loop(2).judge(long, circumstancesOf({ recent: [recent] }));
  expect(judgeLong(kept(long.argsText))).toMatchObject({ action: "ask" });
  expect(judgeLong(kept('{"text":"another one'))).toEqual({ action: "allow" });
});

test.each([1, 0, -1, 2.5, Number.NaN])("%s times are refused", (times) => {
  expect(() => loop(times)).toThrow(/whole number from 2/);
});
