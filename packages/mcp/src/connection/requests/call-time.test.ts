import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { callText, closeAll, connected, scripted, until } from "../connection.test.kit.ts";
import { callClock } from "./call-clock.ts";

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** From now on the time limits of calls run only when the test moves the clock. */
function clockByHand(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
}

/** A server, and a clock that only the test moves. */
async function timed(settings: { readonly timeoutMs: number; readonly longestMs?: number }) {
  const connection = await connected(scripted(), { settings });
  clockByHand();
  return connection;
}

test("progress gives a call its time again, and is told with its fraction", async () => {
  const connection = await timed({ timeoutMs: 1_000 });
  const told: [string, number | undefined][] = [];
  const onProgress = (text: string, fraction?: number) => void told.push([text, fraction]);
  const held = callText(connection, "hold", {}, { onProgress });
  for (const progress of [1, 2, 3]) {
    vi.advanceTimersByTime(900);
    await callText(connection, "step", { progress, total: 6 });
  }
  vi.advanceTimersByTime(900);
  await callText(connection, "release");
  expect(await held).toBe("done");
  expect(told).toEqual([
    ["step 1", 1 / 6],
    ["step 2", 2 / 6],
    ["step 3", 3 / 6],
  ]);
});

test("progress gives time only up to the cap", async () => {
  const connection = await timed({ timeoutMs: 1_000, longestMs: 1_500 });
  const held = callText(connection, "hold");
  const failed = expect(held).rejects.toMatchObject({
    code: "timed_out",
    message: expect.stringContaining("1.5 seconds"),
  });
  vi.advanceTimersByTime(900);
  await callText(connection, "step", { progress: 1, total: 2 });
  vi.advanceTimersByTime(600);
  await failed;
});

test("a call that is cancelled, or out of time, is cancelled at the server too", async () => {
  const connection = await timed({ timeoutMs: 1_500 });
  const stop = new AbortController();
  const sleeping = callText(connection, "hold", {}, { signal: stop.signal });
  await callText(connection, "echo", { text: "meanwhile" });
  stop.abort();
  await expect(sleeping).rejects.toMatchObject({ code: "cancelled" });
  const late = expect(callText(connection, "hold")).rejects.toMatchObject({ code: "timed_out" });
  await callText(connection, "echo", { text: "meanwhile" });
  vi.advanceTimersByTime(1_500);
  await late;
  await until(async () => JSON.parse(await callText(connection, "cancelled")).length === 2);
  const before = callText(connection, "echo", {}, { signal: AbortSignal.abort() });
  await expect(before).rejects.toMatchObject({ code: "cancelled" });
});

test("the time of a call stands still while a person is asked", async () => {
  const connection = await timed({ timeoutMs: 1_000, longestMs: 1_200 });
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const ask = async () => {
    vi.advanceTimersByTime(60_000);
    return [["Ada"]];
  };
  const answered = await callText(connection, "ask", { message: "Who?", schema }, { ask });
  expect(JSON.parse(answered)).toEqual({ action: "accept", content: { name: "Ada" } });
});

test("an answer that came while this process was blocked is not too late", async () => {
  const connection = await timed({ timeoutMs: 1_000 });
  const folder = temporaryFolder();
  const file = join(folder, "answered");
  const called = callText(connection, "mark", { file });
  // The request is on its way; from here on nothing is read until the time is up.
  await new Promise((resolve) => setImmediate(resolve));
  while (!existsSync(file));
  vi.advanceTimersByTime(1_000);
  expect(await called).toBe("marked");
});

test("a clock that was stopped does not run again when its pause ends", async () => {
  clockByHand();
  const expired: string[] = [];
  const clock = callClock({ idleMs: 20, longestMs: 1_000, expire: (what) => void expired.push(what) });
  clock.pause();
  clock.stop();
  clock.resume();
  vi.advanceTimersByTime(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(expired).toEqual([]);
});
