import { expect, test } from "vitest";
import { callClock } from "./call-clock.ts";
import { InFlight, type WaitingRequest } from "./in-flight.ts";

function request(owner?: string): WaitingRequest {
  const clock = callClock({ idleMs: 1_000, longestMs: 1_000, expire: () => {} });
  clock.stop();
  const { signal } = new AbortController();
  return { clock, signal, asked: 0, ...(owner === undefined ? {} : { owner }) };
}

test("a server's question is for the most recent request, and is not asked while two sessions have one", () => {
  const inFlight = new InFlight();
  const [first, second, list] = [request("ada"), request("ada"), request()];
  inFlight.add(first);
  const remove = inFlight.add(second);
  expect(inFlight.latest).toBe(second);
  const end = inFlight.add(request("bob"));
  expect(inFlight.latest).toBeUndefined();
  end();
  expect(inFlight.latest).toBe(second);
  remove();
  inFlight.add(list);
  expect(inFlight.latest).toBe(list);
});

test("a request of our own, which has no user to ask, does not hide the user's", () => {
  const inFlight = new InFlight();
  const call = { ...request("ada"), ask: async () => [] };
  inFlight.add(call);
  inFlight.add(request());
  expect(inFlight.latest).toBe(call);
});
