import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createAgent } from "@toolkeep/ai";
import type { Session } from "@toolkeep/core";
import { createSessionWithPorts } from "@toolkeep/core/internal";
import { replayJournal } from "@toolkeep/core/journal";
import { openWorkspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";
import { expect, test } from "vitest";
import { loadModel } from "../../packages/ai/src/providers/load-model.ts";
import { openStore } from "../../packages/sqlite/src/store/open-store.ts";
import { nextReply } from "./fix-script.ts";
import { openModelServer } from "./model-server.ts";
import { replayReplies } from "./replay-replies.ts";
import { FIXED, filesOf, makeSampleRepository } from "./sample-repository.ts";

test("an agent finds a failing test, fixes it with approval, tests in the sandbox, asks and notes; its record replays", {
  timeout: 120_000,
}, async () => {
  using base = mkdtempDisposableSync(join(tmpdir(), "agent-sample-"));
  await using server = await openModelServer();
  const root = makeSampleRepository(base.path);
  await using store = openStore({ path: join(base.path, "store") });
  await using workspace = await openWorkspace({ roots: [root], store });
  expect(workspace.isolation).not.toBe("none");
  const asked: string[] = [];
  const setting = { tools: standardTools(), policy: ["allow *", "ask edit"] };
  const model = await loadModel({ name: "scripted", baseUrl: server.baseUrl });
  const events: AgentEvent[] = [];
  {
    await using agent = await createAgent({
      ...{ ...setting, id: "fix", model, workspace, instructions: "You fix bugs." },
      approver: {
        async approve({ toolName }) {
          asked.push(toolName);
          return { verdict: "once", by: "ada" };
        },
        async answer({ questions }) {
          asked.push(...questions.map(({ question }) => question));
          return [["yes"]];
        },
      },
    });
    for await (const event of agent.run("Fix the failing test.")) events.push(event);
  }
  expect(events.at(-1)).toMatchObject({
    type: "end",
    reason: "done",
    text: expect.stringContaining("passes"),
  });
  expect(filesOf(root)).toEqual(FIXED);
  expect(asked).toEqual(["edit", "Shall the change be noted?"]);
  const results = events.flatMap((event) => (event.type === "result" ? [event.result] : []));
  expect(results.map(({ toolName, ok }) => `${toolName} ${ok}`)).toEqual([
    ...["bash true", "read true", "grep true", "edit true", "bash true", "question true", "bash true"],
  ]);

  // Again from the record, with the same model: nothing is executed, and nothing differs.
  const before = server.asked.length;
  const journal = store.journal("fix");
  let session: Session | undefined;
  const replay = await replayJournal(journal, async (ports) => {
    const options = workspace.sessionOptions({ id: "replay" });
    session = await createSessionWithPorts({ ...options, store: undefined, ...setting, ...ports } as never);
    return session;
  });
  expect(replay.differences).toEqual([]);
  expect(replay.results.map(({ toolName, ok }) => `${toolName} ${ok}`)).toEqual(
    results.map(({ toolName, ok }) => `${toolName} ${ok}`),
  );
  expect(server.asked.length).toBe(before);
  if (session === undefined) throw new TypeError("Nothing was replayed.");
  expect(await replayReplies(journal, { model, session })).toEqual([]);
  expect(filesOf(root)).toEqual(FIXED);

  // A model that would edit otherwise is found out at that step, and only there.
  await using other = await openModelServer({
    reply(past) {
      const { calls = [], ...rest } = nextReply(past);
      const changed = calls.map((call) =>
        call.name === "edit" ? { ...call, args: { ...call.args, new_string: "$1 * $2" } } : call,
      );
      return { ...rest, calls: changed };
    },
  });
  const otherModel = await loadModel({ name: "scripted", baseUrl: other.baseUrl });
  expect(await replayReplies(journal, { model: otherModel, session })).toEqual([
    {
      step: 3,
      recorded: expect.stringContaining("$1 + $2"),
      replayed: expect.stringContaining("$1 * $2"),
    },
  ]);
  await session.close();
});
