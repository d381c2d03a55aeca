import type { StoredSession } from "@toolkeep/core/journal";
import { expect, test } from "vitest";
import { gatewaySessionId } from "./start-gateway.ts";

const HOUR = 60 * 60 * 1_000;

function storeWith(...entries: readonly StoredSession[]) {
  return {
    sessions: ({ state }: { readonly state?: string } = {}) => entries.filter((one) => one.state === state),
  };
}

function entry(sessionId: string, fields: Partial<StoredSession> = {}): StoredSession {
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

test("a gateway resumes its parked session", () => {
  expect(gatewaySessionId(storeWith(entry(fresh)), { project: "/project" })).toBe(fresh);
});

test.each([
  ["is in use", entry(fresh, { isInUse: true })],
  ["is older than a day", entry(fresh, { activeAt: Date.now() - 25 * HOUR })],
  ["is not parked", entry(fresh, { state: "closed" })],
  ["belongs to another client", entry("claude-code.abc")],
])("it does not resume one that %s", (_what, other) => {
  expect(gatewaySessionId(storeWith(other), { project: "/project" })).not.toBe(other.sessionId);
});

test("gateways of another project or of another wrapped server have their own sessions", () => {
  const store = storeWith(entry(fresh));
  expect(gatewaySessionId(store, { project: "/other" })).not.toBe(fresh);
  expect(gatewaySessionId(store, { project: "/project", wrapped: "github" })).not.toBe(fresh);
});
