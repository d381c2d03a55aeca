import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { scriptedModel } from "../../ai-sdk/scripted-model.test.kit.ts";
import { createAgent } from "../create-agent.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import { allOf, call } from "../scripted-agent.test.kit.ts";

type Given = Pick<AgentOptions, "strategy" | "steering">;

/** An agent whose first call waits until two messages were sent. */
async function steered(given: Given) {
  const calls = ["1", "2", "3"].map((id) => call(id, id === "1" ? "slow" : "work"));
  const { model, prompts } = scriptedModel([calls, [call("4", "work"), call("5", "work")], "done"]);
  const gate = Promise.withResolvers<void>();
  const slow = stubTool("slow", async () => {
    agent.steer("Use tabs.");
    agent.steer("And be quick.");
    await gate.promise;
    return "was not interrupted";
  });
  const work = stubTool("work");
  const options = { model, tools: [slow.tool, work.tool], policy: ["allow *"], ...given };
  const agent = await createAgent(options);
  gate.resolve();
  const events = await allOf(agent.run("Go."));
  await agent.close();
  const results = events.flatMap((event) => (event.type === "result" ? [event.result] : []));
  return {
    outcomes: Object.fromEntries(results.map(({ callId, ok, failure }) => [callId, ok || failure?.code])),
    seen: events.flatMap((event) => (event.type === "message" ? [`${event.step}: ${event.text}`] : [])),
    end: events.at(-1),
    prompts,
  };
}

test("[C95] a message skips the calls that have not begun, as the strategy says; every call has its result", async () => {
  const sequential = await steered({ strategy: "sequential" });
  expect(sequential.outcomes).toEqual({ 1: true, 2: "skipped", 3: "skipped", 4: true, 5: true });
  const batched = await steered({ strategy: { batched: 2 } });
  expect(batched.outcomes).toEqual({ 1: true, 2: true, 3: "skipped", 4: true, 5: true });
  const parallel = await steered({ strategy: "parallel" });
  expect(parallel.outcomes).toEqual({ 1: true, 2: true, 3: true, 4: true, 5: true });
  for (const { seen, end } of [sequential, batched, parallel]) {
    expect(seen).toEqual(["1: Go.", "2: Use tabs.", "2: And be quick."]);
    expect(end).toMatchObject({ reason: "done" });
  }
});

test("with steering one by one, each step sees one message, and the next one skips calls again", async () => {
  const { outcomes, seen, end } = await steered({ strategy: "sequential", steering: "one" });
  expect(seen).toEqual(["1: Go.", "2: Use tabs.", "3: And be quick."]);
  expect(outcomes).toEqual({ 1: true, 2: "skipped", 3: "skipped", 4: true, 5: "skipped" });
  expect(end).toMatchObject({ reason: "done" });
});

test("a message that arrives while the model writes its last text is answered", async () => {
  const { model, prompts } = scriptedModel(["First.", "Second."]);
  await using agent = await createAgent({ model });
  const events = [];
  for await (const event of agent.run("Go.")) {
    events.push(event);
    if (event.type === "step-start" && event.step === 1) agent.steer("One more thing.");
  }
  expect(events.at(-1)).toMatchObject({ reason: "done", text: "Second.", steps: 2 });
  expect(prompts[1]).toContain("One more thing.");
});
