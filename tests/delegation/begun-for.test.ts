import { createAgent } from "@toolkeep/ai";
import { createRegistry, memoryStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { taskTool } from "@toolkeep/tools/internal";
import { expect, test } from "vitest";
import { allOf, call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";

type Replies = Parameters<typeof scriptedModel>[0];

const store = () => memoryStore();

/** An agent that a user continues, with a subagent that has replies of its own. */
function agentFor(user: string, kept: ReturnType<typeof store>, replies: Replies, child: Replies = []) {
  return createAgent({
    ...{ id: "work", store: kept, model: scriptedModel(replies).model, principal: { user } },
    tools: [stubTool("pay").tool, stubTool("risky").tool, taskTool()],
    agents: [
      { name: "helper", description: "Helps.", instructions: "Help.", model: scriptedModel(child).model },
    ],
    policy: ["allow *", "ask risky"],
    approver: { approve: async () => "later" },
  });
}

test("a run continues on behalf of the principal that it was begun for, no matter which user resumes it", async () => {
  const kept = store();
  const first = await agentFor("alice", kept, [[call("1", "risky")]]);
  expect((await endOf(first.run("Pay my bills."))).reason).toBe("waiting");
  await first.leave();
  await using second = await agentFor("bob", kept, [[call("2", "pay")], [call("3", "risky")]]);
  for (const { id } of await second.session.waiting()) await second.session.answer(id, { verdict: "once" });
  expect(await endOf(second.resume())).toMatchObject({
    reason: "waiting",
    requests: [{ callId: "3", principal: { user: "alice" } }],
  });
});

test("so does a subagent in the background", async () => {
  const kept = store();
  const task = { prompt: "Go.", subagent_type: "helper", background: true };
  const first = await agentFor("alice", kept, [[call("t", "task", task)], "waiting"], [[call("1", "risky")]]);
  await endOf(first.run("Work."));
  await first.leave();
  const [waiting] = await kept.waiting();
  const { sessionId, request } = waiting ?? { sessionId: "", request: { id: "" } };
  await kept.answer({ sessionId, id: request.id }, { verdict: "once" });
  await using second = await agentFor("bob", kept, ["done"], [[call("2", "risky")], "done"]);
  await endOf(second.resume());
  expect(await kept.waiting()).toMatchObject([{ request: { callId: "2", principal: { user: "alice" } } }]);
});

test("a tool that is taken from an agent is taken from its subagents", async () => {
  const registry = createRegistry();
  const once = stubTool("once", () => {
    registry.unregister("once");
    return "ran";
  });
  registry.register(once.tool);
  registry.register(taskTool());
  const child: Replies = [[call("1", "once")], [call("2", "once")], "done"];
  const { model } = scriptedModel([[call("t", "task", { prompt: "Go." })], ...child, "end"]);
  await using agent = await createAgent({ model, registry, agents: [], policy: ["allow *"] });
  await allOf(agent.run("Work."));
  expect(once.executed).toHaveLength(1);
});
