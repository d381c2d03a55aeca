import { type AgentDefinition, createAgent } from "@toolkeep/ai";
import type { SessionStore, Tool } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { newSchema } from "./test-schema.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const scout: AgentDefinition = {
  ...{ name: "scout", description: "Looks around.", instructions: "You are the scout.", tools: ["reader"] },
};
const { model } = modelOf(({ system, step }) => {
  if (system.includes("You are the scout.")) return step === 0 ? [call("in", "reader")] : "I saw it.";
  return step === 0 ? [call("out", "task", { prompt: "Look.", subagent_type: "scout" })] : "All is well.";
});

describe.skipIf(POSTGRES_URL === "")("a program that finishes what is left over", () => {
  const openStore = testStores();

  test("resumes an agent whose subagent was answered, and is not given the subagent", async () => {
    const schema = newSchema();
    const read = stubTool("reader", () => "read", { idempotent: false });
    const optionsFor = (id: string, store: SessionStore) => ({
      ...{ id, store, model, tools: [taskTool() as Tool, read.tool], agents: [scout] },
      ...{ policy: ["ask reader"], approver: scriptedApprover("later") },
    });
    const store = await openStore({ schema });
    const agent = await createAgent(optionsFor("root", store));
    expect(await endOf(agent.run("Look around."))).toMatchObject({ reason: "waiting" });
    await agent.leave();
    const [request] = await store.waiting();
    if (request === undefined) throw new TypeError("Nothing waits.");
    expect(request.sessionId).toMatch(/^root\./);
    await store.answer(request.request, { verdict: "once" });

    const sweeper = await openStore({ schema });
    const ends: unknown[] = [];
    // The run of an agent and the calls of its last step are turns of one session.
    const left = new Set((await sweeper.unfinished(100)).map(({ sessionId }) => sessionId));
    for (const sessionId of left) {
      await using resumed = await createAgent(optionsFor(sessionId, sweeper));
      ends.push([sessionId, await endOf(resumed.resume())]);
    }
    expect(ends).toEqual([["root", expect.objectContaining({ reason: "done", text: "All is well." })]]);
    expect(read.executed).toHaveLength(1);
    expect(await sweeper.unfinished(100)).toEqual([]);
  });
});
