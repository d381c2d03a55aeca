import { createSession, memoryStore } from "@toolkeep/core";
import { expect, test } from "vitest";

test("[C111] the session of a subagent is not continued without its parent", async () => {
  await using store = memoryStore();
  await using parent = await createSession({ store, policy: ["deny net.fetch"] });
  const child = await createSession({ id: "child", store, parent: parent.childContext("scout") });
  await child.leave();
  const alone = createSession({ id: "child", store, policy: ["allow net.fetch *"] });
  await expect(alone).rejects.toThrow(/that of the subagent scout: its parent continues it/);
  await using again = await createSession({ id: "child", store, parent: parent.childContext("scout") });
  expect(again.id).toBe("child");
});
