import { createAgent } from "@toolkeep/ai";
import { runStatus } from "@toolkeep/core/formats";
import { openSqliteStore } from "@toolkeep/sqlite";
import { managerTools } from "@toolkeep/tools";
import { type Reply, scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";

/**
 * An agent with the managers, in a process of its own. It says what its model was given, and how the run ended. The
 * person it asks has not answered when the process is killed.
 */
const { path, replies, prompt } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly path: string;
  readonly replies: readonly Reply[];
  /** Default: the run of an earlier process is continued. */
  readonly prompt?: string;
};

const store = openSqliteStore({ path });
const { model, prompts, tools } = scriptedModel(replies);
const never = new Promise<never>(() => {});
const approver = {
  approve: () => never,
  answer: () => {
    console.log(JSON.stringify({ prompts, tools }));
    return never;
  },
};
const agent = await createAgent({ id: "a", store, tools: managerTools(), model, approver });
for await (const event of prompt === undefined ? agent.resume() : agent.run(prompt))
  if (event.type === "end")
    console.log(JSON.stringify({ status: runStatus(event), text: event.text, prompts }));
await agent.close();
await store.close();
process.exit(0);
