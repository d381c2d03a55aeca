import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentDefinition, createAgent } from "@toolkeep/ai";
import type { SessionStore, Tool } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import type { SqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { cutStore, openCut } from "./cut-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-counted-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agents: readonly AgentDefinition[] = [
  { name: "lead", description: "Leads.", instructions: "You are the lead.", tools: ["task", "work"] },
  { name: "scout", description: "Looks.", instructions: "You are the scout.", tools: ["work"] },
];
const STEPS = 7;

/** A root that gives work to a lead, which gives some to a scout; then it works until a limit ends it. */
function agentOn(store: SessionStore) {
  const { model } = modelOf(({ system, step }) => {
    if (system.includes("You are the scout.")) return step === 0 ? [call("s", "work")] : "I saw it.";
    if (system.includes("You are the lead."))
      return step === 0 ? [call("l", "task", { prompt: "Look.", subagent_type: "scout" })] : "It is there.";
    return step === 0
      ? [call("r", "task", { prompt: "Find out.", subagent_type: "lead" })]
      : [call(`w${step}`, "work")];
  });
  const tools = [taskTool() as Tool, stubTool("work").tool];
  return createAgent({ id: "a", store, model, tools, agents, policy: ["allow *"], limits: { steps: STEPS } });
}

/** The replies of all agents, as the store has them. */
async function replies(store: SqliteStore): Promise<number> {
  let count = 0;
  for (const { sessionId } of store.sessions())
    for await (const _ of store.events(sessionId, { types: ["model-reply"] })) count += 1;
  return count;
}

test("what subagents used counts for the limits of a run wherever it was killed", async () => {
  await using whole = cutStore(folder);
  const agent = await agentOn(whole.store);
  expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "steps", steps: STEPS - 4 });
  await agent.leave();
  let continued = 0;
  // One of four: there are many, and neighbours differ little.
  for (const path of whole.cuts.filter((_path, index) => index % 4 === 0)) {
    await using store = await openCut(path);
    if ((await store.unfinished(1)).length === 0) continue;
    const life = await agentOn(store);
    expect(await endOf(life.resume()), path).toMatchObject({ reason: "steps", steps: STEPS - 4 });
    await life.leave();
    expect(await replies(store), path).toBe(STEPS);
    continued += 1;
  }
  expect(continued).toBeGreaterThan(5);
});
