import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createAgent } from "@toolkeep/ai";
import type { Session, ToolResult } from "@toolkeep/core";
import { createSessionWithPorts } from "@toolkeep/core/internal";
import { type ReplayReport, replayJournal } from "@toolkeep/core/journal";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { loadModel } from "../../packages/ai/src/providers/load-model.ts";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { agentOf, nextReply, POLICY, PROMPT, REVIEWER, type ScriptedReply } from "./fix-script.ts";
import { openModelServer } from "./model-server.ts";
import { replayReplies } from "./replay-replies.ts";
import { FIXED, filesOf, makeSampleRepository } from "./sample-repository.ts";

test("an agent finds a failing test, fixes it with approval, tests in the sandbox, has it reviewed, asks and notes; its record replays", async () => {
  using base = mkdtempDisposableSync(join(tmpdir(), "agent-sample-"));
  await using server = await openModelServer();
  const root = makeSampleRepository(base.path);
  await using store = openSqliteStore({ path: join(base.path, "store") });
  await using workspace = await openWorkspace({
    roots: [root],
    store,
    sidecars: join(base.path, "sidecars"),
  });
  expect(workspace.isolation).not.toBe("none");
  const asked: string[] = [];
  const model = await loadModel({ name: "scripted", baseUrl: server.baseUrl });
  const events: AgentEvent[] = [];
  {
    await using agent = await createAgent({
      ...{ id: "fix", model, workspace, instructions: "You fix bugs.", tools: standardTools() },
      ...{ policy: POLICY, agents: [REVIEWER] },
      approver: {
        async approve({ toolName, agents }) {
          asked.push([...agents, toolName].join(" > "));
          return { verdict: "once", by: "ada" };
        },
        async answer({ questions }) {
          asked.push(...questions.map(({ question }) => question));
          return [["yes"]];
        },
      },
    });
    for await (const event of agent.run(PROMPT)) events.push(event);
  }
  expect(events.at(-1)).toMatchObject({
    type: "end",
    reason: "done",
    text: expect.stringContaining("passes"),
  });
  expect(filesOf(root)).toEqual(FIXED);
  // The request of the subagent reaches the same person, and says who asks.
  expect(asked).toEqual(["edit", "reviewer > bash", "Shall the change be noted?"]);
  const results = resultsOf(events);
  expect(results.map(told)).toEqual([
    ...["bash true", "read true", "grep true", "edit true", "bash true"],
    ...["task true", "question true", "bash true"],
  ]);
  const review = results.find(({ toolName }) => toolName === "task");
  expect(review?.data).toMatchObject({ output: "The change is right." });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "call-update", update: expect.objectContaining({ agent: "reviewer" }) }),
  );
  const ends = await Array.fromAsync(store.events(review?.childId ?? "", { types: ["call-end"] }));
  const reviewed = ends.flatMap((event) =>
    event.type === "call-end" ? [event.result.value as ToolResult] : [],
  );
  expect(reviewed.map(told)).toEqual(["read true", "grep true", "bash true"]);

  // Again from the record: nothing is executed, no model and no person is asked, and nothing differs.
  const before = server.asked.length;
  const executed: string[] = [];
  const tools = standardTools().map((tool) =>
    Object.freeze({
      ...tool,
      execute() {
        executed.push(tool.name);
        throw new TypeError("A replay executes nothing.");
      },
    }),
  );
  const journals = { fix: store.journal("fix"), review: store.journal(review?.childId ?? "") };
  const replay = async (journal: typeof journals.fix, options: object) => {
    const opened = Promise.withResolvers<Session>();
    const report = await replayJournal(journal, async (ports) => {
      const place = { ...workspace.sessionOptions({ id: "replay" }), store: undefined };
      const session = await createSessionWithPorts({ ...place, tools, ...options, ...ports } as never);
      opened.resolve(session);
      return session;
    });
    return { report, session: await opened.promise };
  };
  const fix = await replay(journals.fix, { policy: POLICY });
  const child = await replay(journals.review, {
    policy: REVIEWER.policy,
    parent: fix.session.childContext(REVIEWER.name),
  });
  expectSame(fix.report, results);
  expectSame(child.report, reviewed);
  expect({ executed, asked: asked.length, models: server.asked.length - before }).toEqual({
    ...{ executed: [], asked: 3, models: 0 },
  });

  // The same model says the same to the same conversations.
  const sessions = { fix: fix.session, review: child.session };
  const differencesWith = async (reply: typeof nextReply) => {
    await using other = await openModelServer({ reply });
    const otherModel = await loadModel({ name: "scripted", baseUrl: other.baseUrl });
    return {
      fix: await replayReplies(journals.fix, { model: otherModel, session: sessions.fix }),
      review: await replayReplies(journals.review, { model: otherModel, session: sessions.review }),
    };
  };
  expect(await differencesWith(nextReply)).toEqual({ fix: [], review: [] });

  // One that would edit otherwise, or review otherwise, is found out at that step, and only there.
  expect(await differencesWith((past, prompt) => editedOtherwise(nextReply(past, prompt)))).toEqual({
    fix: [
      {
        step: 3,
        recorded: expect.stringContaining("$1 + $2"),
        replayed: expect.stringContaining("$1 * $2"),
      },
    ],
    review: [],
  });
  expect(
    await differencesWith((past, prompt) => {
      const { text, ...rest } = nextReply(past, prompt);
      const isReview = agentOf(prompt) === "reviewer" && text !== undefined;
      return isReview ? { ...rest, text: "The change is wrong." } : { ...rest, ...(text && { text }) };
    }),
  ).toEqual({
    fix: [],
    review: [
      {
        step: 3,
        recorded: expect.stringContaining("right"),
        replayed: expect.stringContaining("wrong"),
      },
    ],
  });
  expect(filesOf(root)).toEqual(FIXED);
  await child.session.close();
  await fix.session.close();
});

function resultsOf(events: readonly AgentEvent[]): readonly ToolResult[] {
  return events.flatMap((event) => (event.type === "result" ? [event.result] : []));
}

function told({ toolName, ok }: ToolResult): string {
  return `${toolName} ${ok}`;
}

function expectSame({ differences, results }: ReplayReport, before: readonly ToolResult[]): void {
  expect(differences).toEqual([]);
  expect(results.map(told)).toEqual(before.map(told));
}

function editedOtherwise({ calls = [], ...rest }: ScriptedReply): ScriptedReply {
  const changed = calls.map((call) =>
    call.name === "edit" ? { ...call, args: { ...call.args, new_string: "$1 * $2" } } : call,
  );
  return { ...rest, calls: changed };
}
