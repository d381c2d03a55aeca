import { expect, test } from "vitest";
import { type FilterOptions, filterOf, isMatching } from "./call-filter.ts";
import type { LoggedCall } from "./logged-call.ts";

const NOW = Date.now();
const HOUR = 3_600_000;

const call = (more: Partial<LoggedCall>): LoggedCall => ({
  ...{ at: NOW, changedAt: NOW, sessionId: "s", turn: "t1", callId: "c" },
  ...{ tool: "bash", effects: [], decision: "allowed" },
  ...more,
});

const CALLS: readonly LoggedCall[] = [
  call({ callId: "old", at: NOW - 3 * HOUR }),
  call({ callId: "approved", by: "approver: ada", person: "ada" }),
  call({ callId: "rejected", decision: "denied", by: "approver: ada", person: "ada" }),
  call({ callId: "denied", tool: "write", decision: "denied", by: "rule: deny fs.write" }),
  call({ callId: "delegated", tool: "github_create_issue", decision: "delegated" }),
  call({ callId: "waiting", tool: "github_read", decision: "waiting" }),
  call({ callId: "refused", decision: "refused", by: "validate" }),
];

const matching = (options: FilterOptions) =>
  CALLS.filter((one) => isMatching(one, filterOf(options))).map(({ callId }) => callId);

test.each<[FilterOptions, readonly string[]]>([
  [{}, CALLS.map(({ callId }) => callId)],
  [{ since: "2h", tool: ["bash"], decision: ["allowed"] }, ["approved"]],
  [{ decision: ["ask"] }, ["approved", "rejected", "delegated", "waiting"]],
  [{ decision: ["deny", "refused"] }, ["rejected", "denied", "refused"]],
  [{ tool: ["github_*"] }, ["delegated", "waiting"]],
  [{ tool: ["git", "b.sh", "*rite"] }, ["denied"]],
  [{ tool: ["github_*"], decision: ["denied"] }, []],
])("%j", (options, expected) => {
  expect(matching(options)).toEqual(expected);
});

test("a word that is no decision is an error that lists them", () => {
  for (const word of ["maybe", "toString"])
    expect(() => filterOf({ decision: [word] })).toThrow(/is not a decision/);
});
