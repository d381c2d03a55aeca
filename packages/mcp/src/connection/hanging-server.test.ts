import { afterEach, expect, test, vi } from "vitest";
import { callText, closeAll, connected, scripted, until } from "./connection.test.kit.ts";

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** From now on the time limits of calls run only when the test moves the clock. */
function clockByHand(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
}

test("a server that hangs: every call settles in its time, and then it is started anew", async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 700 } });
  const states: string[] = [];
  connection.watch(() => states.push(`${connection.status.state} ${connection.status.reason ?? ""}`));
  clockByHand();
  const calls = [callText(connection, "deaf"), callText(connection, "echo", { text: "1" })];
  const settled = Promise.allSettled(calls);
  vi.advanceTimersByTime(700);
  for (const call of await settled)
    expect(call).toMatchObject({ status: "rejected", reason: { code: "timed_out" } });
  // It is asked for a sign of life, and given a while for it.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(states).toEqual([expect.stringMatching(/^waiting .*hangs/)]);
  await vi.advanceTimersByTimeAsync(30);
  await until(() => connection.status.state === "ready");
  expect(await callText(connection, "echo", { text: "back" })).toBe("back");
});
