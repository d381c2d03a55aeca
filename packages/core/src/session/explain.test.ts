import { expect, test } from "vitest";
import { memoryStore } from "../journal/memory-store.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

test("explain writes nothing, also for a tool whose effects throw", async () => {
  const { tool } = stubTool("broken", () => "done", {
    requires: { capabilities: ["bank.pay"] },
    effects: () => {
      throw new Error("no such account");
    },
  });
  await using session = await createSession({ id: "s", store: memoryStore(), tools: [tool] });
  const types = async () => (await Array.fromAsync(session.journal.read())).map(({ type }) => type);
  const before = await types();
  const { failure } = await session.explain({ id: "c1", name: "broken", arguments: {} });
  expect(failure?.code).toBe("effects_failed");
  expect(await types()).toEqual(before);
  await session.call("broken", {});
  expect((await types()).filter((type) => type === "tool-crash")).toHaveLength(1);
});
