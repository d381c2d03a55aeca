import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, isAlive, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("a message of 20 MB drops the connection, fails the call as too large, and the server comes back", async () => {
  const connection = await connected(scripted());
  const [pid = 0] = JSON.parse(await callText(connection, "family"));
  await expect(callText(connection, "huge", { bytes: 20 * 2 ** 20 })).rejects.toMatchObject({
    code: "too_large",
  });
  await until(() => !isAlive(pid));
  await until(() => connection.status.state === "ready");
  expect((await callText(connection, "huge", { bytes: 8 * 2 ** 20 })).length).toBe(8 * 2 ** 20);
});

test("garbage is passed over, and too much of it drops the connection", async () => {
  const connection = await connected(scripted(), { backoffMs: [60_000] });
  expect(await callText(connection, "garbage", { lines: 50 })).toBe("after garbage");
  await expect(callText(connection, "garbage", { lines: 60 })).rejects.toMatchObject({ code: "unavailable" });
  expect(connection.status).toMatchObject({ state: "waiting" });
  expect(connection.status.reason).toContain("not messages");
});

test("a flood of messages drops the connection", async () => {
  const connection = await connected(scripted(), { backoffMs: [60_000] });
  await expect(callText(connection, "flood")).rejects.toMatchObject({ code: "unavailable" });
  expect(connection.status.reason).toContain("unsolicited messages");
});

test("many changes at once are told once", async () => {
  const connection = await connected(scripted());
  let told = 0;
  connection.watch((change) => {
    if (change === "tools") told += 1;
  });
  await callText(connection, "changes");
  await until(() => told > 0);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(told).toBe(1);
});

test("what a server says of its own failure is shown to a bounded length", async () => {
  const connection = await connected(scripted());
  const failure = await callText(connection, "fail").catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({
    code: "tool_failed",
    message: expect.stringContaining('-32603. Its message: "It broke.'),
  });
  expect((failure as Error).message.length).toBeLessThan(700);
});

test("a server is not let to the model, and is told so", async () => {
  const connection = await connected(scripted());
  expect(await callText(connection, "sample")).toContain("servers have no access to the model");
});
