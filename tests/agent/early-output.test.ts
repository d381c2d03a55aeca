import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { allOf, call, modelOf } from "../delegation/scripted-agents.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** It does not end by itself until a file is there. */
const COMMAND = "echo half; while ! test -e continue; do sleep 0.05; done; echo rest";

test("[C118] a model reads what a command has written so far, acts on it, and reads the rest", async () => {
  const root = realpathSync(temporaryFolder());
  await using workspace = await openWorkspace({ roots: [root] });
  const { model } = modelOf(({ step, prompt }) => {
    const id = /\\"id\\":\\"([^\\"]+)/.exec(prompt)?.[1];
    if (step === 0) return [call("start", "bash_start", { command: COMMAND })];
    if (step === 1) return [call("early", "bash_output", { id, wait: 60_000 })];
    // What it has read makes it act, and the command continues.
    if (step === 2)
      return prompt.includes("half") ? [call("go", "bash_start", { command: "touch continue" })] : "lost";
    if (step === 3) return [call("late", "bash_output", { id, wait: 60_000 })];
    return "Both halves are here.";
  });
  const tools = standardTools({ set: "minimal", background: true });
  await using agent = await createAgent({ model, workspace, tools, policy: ["allow *"] });
  const events = await allOf(agent.run("Run it, and look early."));
  expect(events.at(-1)).toMatchObject({ reason: "done", text: "Both halves are here." });
  const data = events.flatMap((event) => (event.type === "result" ? [event.result.data] : []));
  expect(data).toMatchObject([
    { id: expect.any(String) },
    { status: "running", output: "half\n" },
    { id: expect.any(String) },
    { output: expect.stringContaining("rest\n") },
  ]);
  expect(existsSync(join(root, "continue"))).toBe(true);
});
