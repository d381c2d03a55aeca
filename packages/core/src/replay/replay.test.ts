import { expect, test } from "vitest";
import { fsWrite } from "../contract/call/effect.ts";
import { ToolFailure } from "../contract/call/result.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { createSession } from "../session/create-session.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { replayJournal } from "./replay-journal.ts";

const writer = () =>
  stubTool("writer", (args) => ({ wrote: args["path"], at: Math.random() }), {
    requires: { fs: { write: ["/**"] } },
    effects: (args) => [fsWrite(String(args["path"]))],
  });

async function recorded() {
  const journal = memoryJournal();
  const stub = writer();
  const failing = stubTool("failing", () => {
    throw new ToolFailure("own", "no");
  });
  const session = await createSession({
    tools: [stub.tool, failing.tool],
    journal,
    approver: scriptedApprover([{ verdict: "once" }, { verdict: "reject", message: "not that" }]),
  });
  await session.run([
    { id: "1", name: "writer", arguments: { path: "/a" } },
    { id: "2", name: "writer", arguments: { path: "/b" } },
    { id: "3", name: "failing", arguments: {} },
  ]);
  await session.call({ id: "4", name: "missing", arguments: { x: 1 } });
  await session.close();
  return { journal, stub, failing };
}

test("[C106] each call is recorded once, and a replay gives the recorded results again without executing anything", async () => {
  const { journal, stub, failing } = await recorded();
  const events = await Array.fromAsync(journal.read());
  for (const id of ["1", "2", "3", "4"]) {
    expect(
      events.filter(
        (event) => (event.type === "call-end" || event.type === "call-refuse") && event.callId === id,
      ),
    ).toHaveLength(1);
  }
  const report = await replayJournal(journal, (ports) =>
    createSession({ tools: [stub.tool, failing.tool], ...ports }),
  );
  expect(report.differences).toEqual([]);
  expect(report.results.map(({ callId, ok }) => [callId, ok])).toEqual([
    ["1", true],
    ["2", false],
    ["3", false],
    ["4", false],
  ]);
  expect(stub.executed).toHaveLength(1);
  expect(failing.executed).toHaveLength(1);
});

test("a call that today would end differently is reported with both sides", async () => {
  const { journal, stub, failing } = await recorded();
  const report = await replayJournal(journal, (ports) =>
    createSession({
      tools: [stub.tool, failing.tool],
      policy: [{ permission: "fs.write", pattern: "/a", action: "deny" }],
      ...ports,
    }),
  );
  expect(report.differences).toMatchObject([
    {
      callId: "1",
      diagnostic: "the result differs",
      recorded: { ok: true },
      replayed: { failure: { code: "denied" } },
    },
  ]);
});

test("a call that the record cannot answer is a divergence, and is not executed", async () => {
  const { journal, stub, failing } = await recorded();
  const missing = stubTool("missing");
  const report = await replayJournal(journal, (ports) =>
    createSession({ tools: [stub.tool, failing.tool, missing.tool], ...ports }),
  );
  expect(report.differences).toMatchObject([{ callId: "4", recorded: { failure: { code: "not_found" } } }]);
  expect(missing.executed).toEqual([]);
});
