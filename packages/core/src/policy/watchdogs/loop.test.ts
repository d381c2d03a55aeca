import { expect, test } from "vitest";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { loop } from "./loop.ts";

const call = policyCall({ tool: "list_files", effects: [], args: { path: "a" } });
const last = { toolName: "list_files", argsText: call.argsText };

const evaluate = (before: object | undefined, times?: number) =>
  loop(times).evaluate(call, policyContext({ last: before as never }));

test("the fifth same call in a row asks, and so does every one after it", () => {
  expect(evaluate(undefined)).toEqual({ action: "allow" });
  expect(evaluate({ ...last, times: 3 })).toEqual({ action: "allow" });
  for (const times of [4, 300]) {
    expect(evaluate({ ...last, times })).toEqual({
      action: "ask",
      reason: `list_files was called ${times + 1} times in a row with the same arguments.`,
    });
  }
});

test("another call in between starts the count again", () => {
  expect(evaluate({ ...last, argsText: "{}", times: 9 })).toEqual({ action: "allow" });
  expect(evaluate({ ...last, toolName: "other", times: 9 })).toEqual({ action: "allow" });
  expect(evaluate({ ...last, times: 2 }, 3)).toMatchObject({ action: "ask" });
});

test("calls that only read are not counted, however often they are made", () => {
  const times = (input: object) => {
    const one = policyCall({ tool: "read_it", effects: [], args: { path: "a" }, ...input });
    const before = { toolName: "read_it", argsText: one.argsText, times: 9 };
    return loop().evaluate(one, policyContext({ last: before as never }));
  };
  const read = { capability: "fs.read", target: "/ws/a" } as const;
  const call = { capability: "mcp.call", target: "files:read_it", implied: true } as const;
  expect(times({ mode: "read", effects: [read, call] })).toMatchObject({ action: "allow" });
  // A name proves nothing, and neither does a mode without effects that can be seen.
  expect(times({ effects: [read] })).toMatchObject({ action: "ask" });
  expect(times({ mode: "read", effects: [] })).toMatchObject({ action: "ask" });
  expect(times({ mode: "read", effects: [{ ...call, implied: false }] })).toMatchObject({ action: "ask" });
  expect(
    times({ mode: "read", effects: [read, { capability: "net.fetch", target: "x.example" }] }),
  ).toMatchObject({ action: "ask" });
  expect(times({ mode: "safe_write", effects: [read] })).toMatchObject({ action: "ask" });
});

test.each([1, 0, -1, 2.5, Number.NaN])("%s times are refused", (times) => {
  expect(() => loop(times)).toThrow(/whole number from 2/);
});
