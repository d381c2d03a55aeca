import { afterEach, expect, test } from "vitest";
import { callText, closeAll, connected, scripted, until } from "./connection.test.kit.ts";

afterEach(closeAll);

test("a program that says nothing to the first request is an older one", async () => {
  const connection = await connected(scripted("silent"));
  expect(connection.status.state).toBe("ready");
  const asked = async () => JSON.parse(await callText(connection, "seen")).slice(0, 2);
  expect(await asked()).toEqual(["server/discover", "initialize"]);
  await expect(callText(connection, "crash")).rejects.toMatchObject({ code: "unavailable" });
  await until(() => connection.status.state === "ready");
  // What was found out is not asked again.
  expect(await asked()).toEqual(["initialize", "notifications/initialized"]);
});
