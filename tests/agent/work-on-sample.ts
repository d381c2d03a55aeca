import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { createAgent } from "@toolkeep/ai";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { openStore } from "../../packages/sqlite/src/store/open-store.ts";

/**
 * An agent in a process of its own that may be killed at any moment. It says aloud what it does, and waits for a line on
 * its input where a person is asked. If its agent has a run, it continues that.
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
const store = openStore({ path });
const workspace = await openWorkspace({ roots: [root], store });
const names = new Set(["read", "grep", "edit", "bash", "question"]);
const tools = standardTools().filter(({ name }) => names.has(name));
const agent = await createAgent({
  id: "fix",
  model: { name: "scripted", baseUrl },
  workspace,
  tools: isGateOff ? tools.map((tool) => Object.freeze({ ...tool, idempotent: true })) : tools,
  policy: ["allow *", "ask edit"],
  approver: {
    async approve({ id }) {
      console.log(`asked ${id}`);
      await lines.next();
      console.log(`answered ${id}`);
      return { verdict: "once" };
    },
    async answer({ id }) {
      console.log(`asked ${id}`);
      await lines.next();
      console.log(`answered ${id}`);
      return [["yes"]];
    },
  },
});
for (const { id } of await agent.session.waiting()) console.log(`open ${id}`);
const begun = await Array.fromAsync(agent.session.journal.read({ types: ["message-receive"] }));
for await (const event of begun.length === 0 ? agent.run("Fix the failing test.") : agent.resume()) {
  if (event.type === "step-start") console.log(`model ${event.step}`);
  else if (event.type === "step-end") console.log(`reply ${event.step}`);
  else if (event.type === "call-start") console.log(`call ${event.step}/${event.callId}`);
  else if (event.type === "result")
    console.log(`result ${event.step}/${event.result.callId} ${event.result.failure?.code ?? "ok"}`);
  else if (event.type === "end") console.log(`end ${event.reason} ${event.error ?? ""}`);
}
await agent.close();
await workspace.close();
await store.close();
process.exit(0);
