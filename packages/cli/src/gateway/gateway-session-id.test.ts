import type { SessionEntry } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { gatewaySessionId } from "./gateway-session-id.ts";

const HOUR = 60 * 60 * 1_000;

function storeWith(...entries: readonly SessionEntry[]) {
  return {
    sessions: ({ state }: { readonly state?: string } = {}) => entries.filter((one) => one.state === state),
  };
}

function entry(sessionId: string, fields: Partial<SessionEntry> = {}): SessionEntry {
  const activeAt = Date.now() - HOUR;
  const base = {
    openedAt: activeAt,
    activeAt,
    calls: 1,
    isInUse: false,
    unfinishedTurns: ["t1"],
    waiting: ["t1/c1"],
  };
  return { sessionId, state: "parked", ...base, ...fields };
}

const fresh = gatewaySessionId(storeWith(), { project: "/project" });

test("a session that was left parked is gone on with", () => {
  expect(gatewaySessionId(storeWith(entry(fresh)), { project: "/project" })).toBe(fresh);
});

test.each([
  ["is in use", entry(fresh, { isInUse: true })],
  ["is older than a day", entry(fresh, { activeAt: Date.now() - 25 * HOUR })],
  ["is not parked", entry(fresh, { state: "closed" })],
  ["belongs to something else", entry("claude-code.abc")],
])("one that %s is not", (_what, left) => {
  expect(gatewaySessionId(storeWith(left), { project: "/project" })).not.toBe(left.sessionId);
});

test("gateways of another project, or around another server, have sessions of their own", () => {
  const store = storeWith(entry(fresh));
  expect(gatewaySessionId(store, { project: "/other" })).not.toBe(fresh);
  expect(gatewaySessionId(store, { project: "/project", wrapped: "github" })).not.toBe(fresh);
});
