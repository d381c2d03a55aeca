import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("a server that hangs: every call settles in its time, and then it is started anew", {
  retry: 3,
}, async () => {
  const connection = await connected(scripted(), { settings: { timeoutMs: 700 } });
  const calls = [callText(connection, "deaf"), callText(connection, "echo", { text: "1" })];
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject({ status: "rejected", reason: { code: "timed_out" } });
  await until(() => connection.status.state === "waiting");
  expect(connection.status.reason).toContain("hangs");
  await until(() => connection.status.state === "ready");
  expect(await callText(connection, "echo", { text: "back" })).toBe("back");
});
