import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createAgent } from "@toolkeep/ai";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";

const QUESTIONS = [
  { question: "Which branch?", header: "Branch", options: [{ label: "main" }, { label: "next" }] },
  { question: "Which checks?", multi_select: true },
];

async function endOf(events: AsyncIterable<AgentEvent>): Promise<AgentEvent | undefined> {
  let last: AgentEvent | undefined;
  for await (const event of events) last = event;
  return last;
}

test("[C49] a question pauses the agent, settles the other calls, and another process continues with the answers", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "agent-questions-"));
  const note = stubTool("note");
  const tools = [...standardTools().filter(({ name }) => name === "question"), note.tool];
  const options = {
    ...{ id: "a", tools, policy: ["allow note", "allow question"] },
    approver: { approve: async () => "later" as const, answer: async () => "later" as const },
  };
  const calls = [
    { id: "1", name: "question", input: { questions: QUESTIONS } },
    { id: "2", name: "note", input: {} },
  ];
  {
    await using store = openSqliteStore({ path: folder.path });
    const agent = await createAgent({ ...options, store, model: scriptedModel([calls]).model });
    expect(await endOf(agent.run("Release it."))).toMatchObject({
      ...{ type: "end", reason: "waiting" },
      requests: [
        { toolName: "question", questions: [QUESTIONS[0], { question: "Which checks?", multiSelect: true }] },
      ],
    });
    expect(note.executed).toHaveLength(1);
    await agent.leave();
    expect(await store.unfinished(10)).toEqual([]);
  }
  {
    await using store = openSqliteStore({ path: folder.path });
    const [waiting] = await store.waiting();
    if (waiting === undefined) throw new TypeError("Nothing waits.");
    await store.answer(waiting.request, [["next"], ["types", "tests"]]);
    expect(await store.unfinished(10)).toContainEqual({ sessionId: "a", turn: "run-1" });
  }
  await using store = openSqliteStore({ path: folder.path });
  const { model, prompts } = scriptedModel(["Released."]);
  await using agent = await createAgent({ ...options, store, model });
  expect(await endOf(agent.resume())).toMatchObject({ reason: "done", text: "Released.", steps: 2 });
  expect(prompts).toHaveLength(1);
  for (const answer of ["next", "types", "tests"]) expect(prompts[0]).toContain(answer);
  expect(note.executed).toHaveLength(1);
});
