import { createAgent } from "@toolkeep/ai";
import { createSession, memoryStore } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { expect, test } from "vitest";
import { call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { askPerson } from "../../packages/tools/src/session/ask-person.ts";
import { temporaryFolders } from "../crash/temporary-folder.ts";

const folder = temporaryFolders();

test("[C58] (planned) a tool of any name that asks pauses the run; the stored session says what is asked, and resumes with the answer", async () => {
  const path = folder();
  const clarify = stubTool("ask_clarification", async ({ question, options }, ctx) => {
    const labels = (options as readonly string[]).map((label) => ({ label }));
    const [[answer] = []] = await askPerson(ctx, [{ question: String(question), options: labels }]);
    return { answer };
  });
  const options = { id: "a", tools: [clarify.tool], policy: ["allow ask_clarification"] };
  const asked = { question: "Which port?", options: ["80", "443"] };
  const first = scriptedModel([[call("1", "ask_clarification", asked)]]);
  {
    await using store = openSqliteStore({ path });
    const approver = scriptedApprover("once", () => "later");
    const agent = await createAgent({ ...options, store, model: first.model, approver });
    const end = await endOf(agent.run("Open the port."));
    expect(end).toMatchObject({
      reason: "waiting",
      requests: [{ questions: [{ question: "Which port?" }] }],
    });
    await agent.leave();
  }
  {
    // A process without an approver loses no question.
    await using store = openSqliteStore({ path });
    const agent = await createAgent({ ...options, store, model: scriptedModel([]).model });
    expect(await endOf(agent.resume())).toMatchObject({
      reason: "waiting",
      requests: [{ toolName: "ask_clarification" }],
    });
    await agent.leave();
  }
  {
    await using store = openSqliteStore({ path });
    const [waiting] = await store.waiting();
    if (waiting === undefined) throw new TypeError("Nothing waits.");
    expect(waiting.request).toMatchObject({
      toolName: "ask_clarification",
      questions: [{ question: "Which port?", options: [{ label: "80" }, { label: "443" }] }],
    });
    await store.answer(waiting.request, [["443"]]);
  }
  const second = scriptedModel(["Port 443 is open."]);
  await using store = openSqliteStore({ path });
  await using agent = await createAgent({ ...options, store, model: second.model });
  expect(await endOf(agent.resume())).toMatchObject({ reason: "done", text: "Port 443 is open." });
  expect(second.prompts).toHaveLength(1);
  expect(second.prompts[0]).toContain('{\\"answer\\":\\"443\\"}');
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
