import { memoryStore } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { scriptedModel } from "../ai-sdk/scripted-model.test.kit.ts";
import { createAgent } from "./create-agent.ts";
import { allOf, call, endOf, recorded } from "./scripted-agent.test.kit.ts";

test("a model works step by step until it answers without calls", async () => {
  const { model, prompts } = scriptedModel([[call("1", "add", { a: 1 })], "The sum is 3."]);
  const add = stubTool("add", () => ({ sum: 3 }));
  await using agent = await createAgent({
    model,
    tools: [add.tool],
    policy: ["allow add"],
    instructions: "You add numbers.",
  });
  const events = await allOf(agent.run("What is 1 + 2?"));
  expect(add.executed).toEqual([{ a: 1 }]);
  expect(events.map(({ type }) => type)).toEqual([
    ...["message", "step-start", "step-end", "call-start", "result"],
    ...["step-start", "text", "step-end", "end"],
  ]);
  expect(events.at(-1)).toMatchObject({ reason: "done", text: "The sum is 3.", steps: 2 });
  expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 2, outputTokens: 2 } });
  expect(prompts[0]).toContain("You add numbers.");
  expect(prompts[1]).toContain('{\\"sum\\":3}');
  expect(await recorded(agent, "message-receive", "model-reply", "run-end")).toEqual([
    ...["message-receive", "model-reply", "model-reply", "run-end"],
  ]);
});

test("the next run continues the conversation", async () => {
  const { model, prompts } = scriptedModel(["Hello, Ada.", "Your name is Ada."]);
  await using agent = await createAgent({ model });
  await endOf(agent.run("I am Ada."));
  expect(await endOf(agent.run("Who am I?"))).toMatchObject({ reason: "done", steps: 1 });
  expect(prompts[1]).toContain("I am Ada.");
  expect(prompts[1]).toContain("Hello, Ada.");
});

test("a run that waits for approval is continued by another process from the store alone", async () => {
  await using store = memoryStore();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const first = scriptedModel([[call("1", "free"), call("2", "risky", { token: secret })]]);
  const [free, risky] = [stubTool("free"), stubTool("risky")];
  const options = { id: "a", store, tools: [free.tool, risky.tool], policy: ["allow free", "ask risky"] };
  const agent = await createAgent({ ...options, model: first.model, approver: scriptedApprover("later") });
  const end = await endOf(agent.run("Do both."));
  expect(end).toMatchObject({ reason: "waiting", requests: [{ toolName: "risky" }] });
  expect(free.executed).toHaveLength(1);
  await agent.leave();

  const [request] = await store.waiting();
  if (request === undefined) throw new TypeError("Nothing waits.");
  await store.answer(request.request, { verdict: "once" });
  const second = scriptedModel(["Both are done."]);
  await using later = await createAgent({ ...options, model: second.model });
  expect(await endOf(later.resume())).toMatchObject({ reason: "done", text: "Both are done.", steps: 2 });
  expect(risky.executed).toEqual([{ token: secret }]);
  expect(free.executed).toHaveLength(1);
  expect(second.prompts).toHaveLength(1);
});

test.each([
  ["an array", [{ role: "user", content: "Hi." }]],
  ["object", { text: "Hi." }],
  ["null", null],
  ["undefined", undefined],
])("agent.run and agent.steer take a text, not %s", async (what, given) => {
  const { model, prompts } = scriptedModel([]);
  await using agent = await createAgent({ model });
  for (const method of ["run", "steer"] as const)
    expect(() => agent[method](given as never)).toThrow(
      `\`agent.${method}\` takes the text of the user, not ${what}.`,
    );
  expect(prompts).toEqual([]);
});
