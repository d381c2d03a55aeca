import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("a program that says nothing to the first request is an older one", { retry: 3 }, async () => {
  const begun = performance.now();
  const connection = await connected(scripted("silent"));
  expect(connection.status.state).toBe("ready");
  const first = performance.now() - begun;
  await callText(connection, "crash").catch(() => {});
  const lost = performance.now();
  await until(() => connection.status.state === "ready");
  // What was found out is not asked again.
  expect(performance.now() - lost).toBeLessThan(first);
});
