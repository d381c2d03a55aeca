import { type AgentOptions, createAgent } from "@toolkeep/ai";
import { createSession, memoryStore, type PersonRequest } from "@toolkeep/core";
import { runStatus } from "@toolkeep/core/formats";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { managerTools, standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { askPerson } from "../../packages/tools/src/session/ask-person.ts";
import { runProgram } from "../crash/run-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ASKED = { question: "Which port?", options: ["80", "443"] };

/** What a model is given in its first step, and the end of the run. */
async function firstStep(options: Partial<AgentOptions>) {
  const { model, prompts, tools } = scriptedModel([[call("1", "ask_clarification", ASKED)]]);
  await using agent = await createAgent({ model, tools: managerTools(), ...options });
  const end = await endOf(agent.run("Open the port."));
  return { prompt: prompts[0] ?? "", tools: tools[0], end, results: prompts[1] ?? "" };
}

test("[C57] every manager but ask_clarification has a definition; the prompt says how that one is called", async () => {
  const approver = scriptedApprover("once", () => [["443"]]);
  const { prompt, tools, end, results } = await firstStep({ approver });
  const names = managerTools().map(({ name }) => name);
  expect(names).toContain("ask_clarification");
  expect(tools?.toSorted()).toEqual(names.filter((name) => name !== "ask_clarification").toSorted());
  expect(prompt).toContain("## ask_clarification\\nPauses the work, asks the user one question");
  expect(prompt).toContain('\\"required\\":[\\"question\\"]');
  expect(approver.questions).toMatchObject([{ questions: [{ question: "Which port?" }] }]);
  expect(results).toContain("443");
  expect(end).toMatchObject({ reason: "done" });
});

test("[C57] models without function calling learn of it in the same way, and none where rules deny it", async () => {
  const asText = await firstStep({ toolCalling: "text" });
  expect(asText.prompt.split("## ask_clarification")).toHaveLength(2);
  const denied = await firstStep({ policy: ["deny ask_clarification"] });
  expect(denied.prompt).not.toContain("ask_clarification");
  expect(denied.results).toContain("A policy rule denies this");
});

test("[C58] a subagent asks in the same way, also one with some of the tools", async () => {
  const agents = [{ name: "helper", description: "H.", instructions: "H.", tools: ["ask_clarification"] }];
  const tools = [...standardTools(), ...managerTools().filter(({ name }) => name === "ask_clarification")];
  const approver = scriptedApprover("once", () => [["443"]]);
  const { model, prompts } = scriptedModel([
    [call("1", "task", { agent: "helper", prompt: "Open the port." })],
    [call("2", "ask_clarification", ASKED)],
    "Port 443 is open.",
  ]);
  await using agent = await createAgent({ model, tools, agents, approver, policy: ["allow task"] });
  expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "done" });
  expect(prompts[1]).toContain("## ask_clarification");
  expect(approver.questions).toHaveLength(1);
});

test("[C58] without anybody to ask, the model is told so and continues", async () => {
  const { end, results } = await firstStep({});
  expect(end).toMatchObject({ reason: "done" });
  expect(results).toContain("No approver is configured to answer questions.");
});

test("[C58] a call of ask_clarification pauses the run, also beyond the death of its process, until another one has the answer", async () => {
  const path = temporaryFolder();
  const program = "ask-clarification.ts";
  const killed = runProgram(program, {
    ...{ path, prompt: "Open the port." },
    replies: [[call("1", "ask_clarification", ASKED)]],
  });
  await killed.saidLines(1);
  killed.kill();
  await killed.ended;
  {
    await using store = openSqliteStore({ path });
    const waiting = await store.waiting();
    const requests = waiting.map(({ request }) => request);
    expect(requests).toMatchObject([
      {
        toolName: "ask_clarification",
        questions: [{ question: "Which port?", options: [{ label: "80" }, { label: "443" }] }],
      },
    ]);
    expect(runStatus({ reason: "waiting", requests })).toBe("clarification_needed");
    await store.answer(requests[0] as PersonRequest, [["443"]]);
  }
  const resumed = runProgram(program, { path, replies: ["Port 443 is open."] });
  expect(await resumed.ended).toMatchObject({ code: 0 });
  const { prompts, ...end } = JSON.parse(resumed.lines[0] ?? "");
  expect(end).toEqual({ status: "done", text: "Port 443 is open." });
  // The reply before the question is not asked for again.
  expect(prompts).toHaveLength(1);
  expect(prompts[0]).toContain('{\\"answer\\":\\"443\\"}');
});

test("[C58] a run that waits for a question reports clarification_needed, and resumes with the answer in another agent as well", async () => {
  await using store = memoryStore();
  const { model, prompts } = scriptedModel([[call("1", "ask_clarification", ASKED)], "Open."]);
  const approver = scriptedApprover("once", () => "later");
  const options = { id: "a", store, model, tools: managerTools() };
  const first = await createAgent({ ...options, approver });
  const end = await endOf(first.run("Open the port."));
  expect([end.reason, runStatus(end)]).toEqual(["waiting", "clarification_needed"]);
  await first.leave();
  // An agent without an approver loses no question.
  await using second = await createAgent(options);
  expect(await endOf(second.resume())).toMatchObject({ reason: "waiting", requests: end.requests });
  await store.answer(end.requests[0] as PersonRequest, [["80"]]);
  const over = await endOf(second.resume());
  expect([runStatus(over), over.text]).toEqual(["done", "Open."]);
  expect(prompts[1]).toContain('{\\"answer\\":\\"80\\"}');
});

test("a tool that has acted before it asks again does not wait where there is no approver", async () => {
  await using store = memoryStore();
  let runs = 0;
  const acting = stubTool("acting", async (_args, ctx) => {
    runs += 1;
    if (runs > 1) ctx.output.write("Something was done.");
    return askPerson(ctx, [{ question: "Continue?" }]);
  });
  const options = { id: "s", store, tools: [acting.tool], policy: ["allow acting"] };
  const first = await createSession({ ...options, approver: scriptedApprover("once", () => "later") });
  const { id, status } = await first.run([{ id: "c", name: "acting", arguments: {} }]);
  expect(status).toBe("waiting");
  await first.leave();
  await using second = await createSession(options);
  expect((await second.resume(id)).results[0]).toMatchObject({ ok: false, failure: { code: "unavailable" } });
});
