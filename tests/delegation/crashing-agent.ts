import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import type { Tool } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { call, endOf, modelOf } from "./scripted-agents.ts";

/*
 * One life of an agent with a subagent: `crashing-agent.ts FOLDER background|waited`. Every question to the model is a
 * line in FOLDER/asked. The tool of the child hangs until FOLDER/go exists, so that the process can be killed there.
 */
const [folder = "", kind = ""] = process.argv.slice(2);
const note = (line: string) => appendFileSync(join(folder, "asked"), `${line}\n`);

const reader = stubTool(
  "reader",
  async () => {
    note("in the child");
    while (!existsSync(join(folder, "go"))) await new Promise((resolve) => setTimeout(resolve, 20));
    return "read";
  },
  { requires: { fs: { read: ["/**"] } }, effects: (args) => [fsRead(String(args["path"]))] },
);

const { model } = modelOf(({ system, step }) => {
  const isScout = system.includes("You are the scout.");
  note(`${isScout ? "scout" : "root"} ${step}`);
  if (isScout) return step === 0 ? [call("in", "reader", { path: "/a" })] : "I saw it.";
  const input = { prompt: "Look.", subagent_type: "scout", background: kind === "background" };
  return step === 0 ? [call("out", "task", input)] : "All is well.";
});

await using store = await openSqliteStore({ path: join(folder, "store") });
await using agent = await createAgent({
  ...{ id: "root", store, model, tools: [taskTool() as Tool, reader.tool], policy: ["allow fs.read /**"] },
  agents: [{ name: "scout", description: "Looks.", instructions: "You are the scout.", tools: ["reader"] }],
});
const isResumed = existsSync(join(folder, "resume"));
const end = await endOf(isResumed ? agent.resume() : agent.run("Look around."));
console.log(JSON.stringify({ reason: end.reason, text: end.text }));
