import { afterEach, expect, test } from "vitest";
import { callClock } from "./call-clock.ts";
import { callText, closeAll, connected, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("progress gives a call its time again, and is told with its fraction", { retry: 3 }, async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 1_000 } });
  const told: [string, number | undefined][] = [];
  const begun = performance.now();
  const args = { times: 6, everyMs: 250 };
  const onProgress = (text: string, fraction?: number) => void told.push([text, fraction]);
  expect(await callText(connection, "progress", args, { onProgress })).toBe("done");
  expect(performance.now() - begun).toBeGreaterThan(1_200);
  expect(told.slice(0, 3)).toEqual([
    ["step 1", 1 / 6],
    ["step 2", 2 / 6],
    ["step 3", 3 / 6],
  ]);
});

test("progress gives time only up to the cap", { retry: 3 }, async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 1_000, longestMs: 1_500 } });
  await expect(callText(connection, "progress", { times: 100, everyMs: 100 })).rejects.toMatchObject({
    code: "timed_out",
    message: expect.stringContaining("1.5 seconds"),
  });
});

test("a call that is cancelled, or out of time, is cancelled at the server too", { retry: 3 }, async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 1_500 } });
  const stop = new AbortController();
  const sleeping = callText(connection, "sleep", { ms: 60_000 }, { signal: stop.signal });
  await callText(connection, "echo", { text: "meanwhile" });
  stop.abort();
  await expect(sleeping).rejects.toMatchObject({ code: "cancelled" });
  await expect(callText(connection, "sleep", { ms: 60_000 })).rejects.toMatchObject({ code: "timed_out" });
  await until(async () => JSON.parse(await callText(connection, "cancelled")).length === 2);
  const before = callText(connection, "echo", {}, { signal: AbortSignal.abort() });
  await expect(before).rejects.toMatchObject({ code: "cancelled" });
});

test("the time of a call stands still while a person is asked", { retry: 3 }, async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 1_000, longestMs: 1_200 } });
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const answered = await callText(
    connection,
    "ask",
    { message: "Who?", schema },
    {
      ask: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return [["Ada"]];
      },
    },
  );
  expect(JSON.parse(answered)).toEqual({ action: "accept", content: { name: "Ada" } });
});

test("a clock that was stopped does not run again when its pause ends", async () => {
  const expired: string[] = [];
  const clock = callClock({ idleMs: 20, longestMs: 1_000, expire: (what) => void expired.push(what) });
  clock.pause();
  clock.stop();
  clock.resume();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(expired).toEqual([]);
});
