import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createAgent } from "@toolkeep/ai";
import type { PersonRequest } from "@toolkeep/core";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { POLICY, PROMPT, REVIEWER } from "./fix-script.ts";

/**
 * An agent in a process of its own that may be killed at any moment. It says aloud what it and its subagent do, and waits
 * for a line on its input where a person is asked. If its agent has a run, it continues that.
 */
const {
  root,
  store: path,
  baseUrl,
  isGateOff,
} = JSON.parse(process.argv[2] ?? "{}") as {
  readonly root: string;
  readonly store: string;
  readonly baseUrl: string;
  /** Every call may be run again, so that no intent is written down. */
  readonly isGateOff: boolean;
};

// A process that is killed writes no cache at its end, and the next one starts faster with it.
flushCompileCache();
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const store = openSqliteStore({ path });
// Runs that are made at the same time have the same session ids, in stores of their own.
const workspace = await openWorkspace({ roots: [root], store, sidecars: join(path, "../sidecars") });
const names = new Set(["read", "grep", "edit", "bash", "question", "task"]);
const tools = standardTools().filter(({ name }) => names.has(name));
const agent = await createAgent({
  id: "fix",
  model: { name: "scripted", baseUrl },
  workspace,
  tools: isGateOff ? tools.map((tool) => Object.freeze({ ...tool, idempotent: true })) : tools,
  policy: POLICY,
  agents: [REVIEWER],
  approver: {
    approve: (request) => asked(request, { verdict: "once" }),
    answer: (request) => asked(request, [["yes"]]),
  },
  // Subagents have them too. What waits for a person or for another agent is in flight elsewhere.
  observers: [
    {
      name: "aloud",
      onBeforeTool: ({ sessionId, callId, toolName }) => {
        if (toolName !== "task" && toolName !== "question")
          console.log(`call ${agentOf(sessionId)} ${callId} ${toolName}`);
      },
      onAfterTool: ({ sessionId, callId }) => console.log(`done ${agentOf(sessionId)} ${callId}`),
      onToolError: ({ sessionId, callId }) => console.log(`done ${agentOf(sessionId)} ${callId}`),
    },
  ],
});
const begun = await Array.fromAsync(agent.session.journal.read({ types: ["message-receive"] }));
for await (const event of begun.length === 0 ? agent.run(PROMPT) : agent.resume())
  if (event.type === "end") console.log(`end ${event.reason} ${event.error ?? ""}`);
await agent.close();
await workspace.close();
await store.close();
process.exit(0);

function agentOf(sessionId: string): string {
  return sessionId === "fix" ? "root" : REVIEWER.name;
}

async function asked<Answer>({ sessionId, id }: PersonRequest, answer: Answer): Promise<Answer> {
  console.log(`asked ${agentOf(sessionId)} ${sessionId}/${id}`);
  await lines.next();
  console.log(`answered ${agentOf(sessionId)} ${sessionId}/${id}`);
  return answer;
}
