import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { type SessionStore, ToolkeepError } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, endOf, modelOf } from "../delegation/scripted-agents.ts";
import { cutStore, openCut } from "./cut-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-cut-runs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const PROMPT = `Work with the token ${SECRET}.`;

/** An agent with one call, and what its model was asked. */
async function agentOn(store: SessionStore) {
  const { model, asked } = modelOf(({ step }) => (step === 0 ? [call("1", "work")] : "Done."));
  const work = stubTool("work", () => "worked", { idempotent: true });
  const agent = await createAgent({ id: "a", store, model, tools: [work.tool], policy: ["allow work"] });
  return { agent, asked };
}

/** The end of the run that a killed process left; `undefined` if there is none. */
async function resumed(agent: Awaited<ReturnType<typeof agentOn>>["agent"]) {
  try {
    return await endOf(agent.resume());
  } catch (error) {
    if (ToolkeepError.isInstance(error) && error.message.includes("There is no run")) return undefined;
    throw error;
  }
}

test("a run that is killed anywhere has its prompt, or it does not exist", async () => {
  await using whole = cutStore(folder);
  const { agent, asked } = await agentOn(whole.store);
  expect(await endOf(agent.run(PROMPT))).toMatchObject({ reason: "done", steps: 2 });
  expect(asked).toHaveLength(2);
  await agent.leave();

  const found = { none: 0, asked: 0, over: 0 };
  for (const path of whole.cuts) {
    await using store = await openCut(path);
    const life = await agentOn(store);
    const end = await resumed(life.agent);
    await life.agent.leave();
    if (end === undefined) {
      found.none += 1;
      expect(await store.unfinished(10)).toEqual([]);
      continue;
    }
    expect(end, path).toMatchObject({ reason: "done", text: "Done.", steps: 2 });
    for (const { prompt } of life.asked) expect(prompt).toContain(PROMPT);
    found[life.asked.length > 0 ? "asked" : "over"] += 1;
  }
  // Each kind of cut occurs, or the test shows nothing.
  expect(Math.min(found.none, found.asked, found.over)).toBeGreaterThan(0);
});
