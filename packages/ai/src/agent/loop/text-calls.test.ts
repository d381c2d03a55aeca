import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { scriptedModel } from "../../ai-sdk/scripted-model.test.kit.ts";
import { createAgent } from "../create-agent.ts";
import { endOf } from "../scripted-agent.test.kit.ts";

const agentWith = async (replies: readonly string[]) => {
  const { model, prompts } = scriptedModel(replies);
  const add = stubTool("add", ({ a, b }) => Number(a) + Number(b));
  const options = { tools: [add.tool], policy: ["allow add"], toolCalling: "text" } as const;
  return { agent: await createAgent({ ...options, model }), prompts, add };
};

test("[C32] a model without function calling gets the tools as text and calls them as text", async () => {
  const plan = 'First I add.\n{"tool": "add", "arguments": {"a": 1, "b": 2}}';
  const { agent, prompts, add } = await agentWith([plan, "The sum is 3."]);
  expect(await endOf(agent.run("1 + 2?"))).toMatchObject({ reason: "done", text: "The sum is 3." });
  expect(add.executed).toEqual([{ a: 1, b: 2 }]);
  expect(prompts[0]).toContain("## add");
  expect(prompts[1]).toContain("Result of add:");
  expect(prompts[1]).toContain("[[output 1 of add]]");
  await agent.close();
});

test("a call that cannot be read is answered with what is wrong, and nothing is guessed at", async () => {
  const wrong = [
    ['{"tool": "add", "arguments": {"a": 1,}}', "is not JSON"],
    ['{"tool": "add"}', "must be an object"],
    ['{"tool": "add", "arguments": [1, 2]}', "must be an object"],
    ['{"tool": "", "arguments": {}}', "must be the name of a tool"],
    ['{"tool": "add", "arguments": {}, "id": 7}', 'there is no field \\"id\\"'],
    ['{"tool": "add", "arguments": {}}\n{"tool": "add", "arguments": 1}', "must be an object"],
  ] as const;
  for (const [line, message] of wrong) {
    const { agent, prompts, add } = await agentWith([line, "I give up."]);
    expect(await endOf(agent.run("1 + 2?"))).toMatchObject({ reason: "done", steps: 2 });
    expect(add.executed).toEqual([]);
    expect(prompts[1]).toContain("could not be read");
    expect(prompts[1]).toContain(message);
    await agent.close();
  }
});

test("text that only looks like JSON is text", async () => {
  const { agent, add } = await agentWith(['The answer is {"sum": 3}.\n{"sum": 3}']);
  expect(await endOf(agent.run("1 + 2?"))).toMatchObject({ reason: "done", steps: 1 });
  expect(add.executed).toEqual([]);
  await agent.close();
});
