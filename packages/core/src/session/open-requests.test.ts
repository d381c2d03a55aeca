import { expect, test } from "vitest";
import type { JournalEntry } from "../contract/store/event.ts";
import type { Journal } from "../contract/store/store.ts";
import { JsonText } from "../contract/values/json-text.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { openRequests } from "./answers.ts";
import { createSession } from "./create-session.ts";

const ASK = [{ permission: "risky", action: "ask" }] as const;

test("a second call under the same id does not make the question about the first one vanish", async () => {
  const { tool } = stubTool("risky", () => "done", { idempotent: false });
  const session = await createSession({ tools: [tool], policy: ASK, approver: scriptedApprover("later") });
  const outcome = await session.run([
    { id: "1", name: "risky", arguments: { n: 1 } },
    { id: "1", name: "risky", arguments: { n: 2 } },
  ]);
  expect(outcome.status).toBe("waiting");
  expect((await session.waiting()).map(({ id }) => id)).toEqual(["t1/1"]);
  await session.close();
});

test("a question of a tool's init does not wait, answered or not", async () => {
  const journal = memoryJournal();
  const request = { id: "init/1", sessionId: "s", callId: "init/1", toolName: "a", questions: [] };
  journal.append(0, 0, "", { type: "question-request", id: "init/1", request });
  expect(await openRequests(journal)).toEqual([]);
});

test("a question of a call that was cut off does not wait any more; those of other turns do", async () => {
  const journal = memoryJournal();
  const question = (turn: string): JournalEntry => ({
    type: "question-request",
    id: "1/question/1",
    request: { id: `${turn}/1/question/1`, sessionId: "s", callId: "1", toolName: "a", questions: [] },
  });
  const end: JournalEntry = {
    type: "call-end",
    callId: "1",
    tool: "a",
    origin: "code/code",
    ok: false,
    result: JsonText.of({ callId: "1", toolName: "a", ok: false, durationMs: 0 }),
  };
  for (const [seq, turn] of ["t1", "t2"].entries()) journal.append(seq, 0, turn, question(turn));
  journal.append(2, 0, "t1", end);
  expect((await openRequests(journal)).map(({ id }) => id)).toEqual(["t2/1/question/1"]);
});

test("however many requests wait, the journal is read once for all of them", async () => {
  const journal = memoryJournal();
  let reads = 0;
  const counting: Journal = {
    append: (seq, at, turn, one) => journal.append(seq, at, turn, one),
    flush: () => journal.flush(),
    extent: () => journal.extent(),
    read(query) {
      reads += 1;
      return journal.read(query);
    },
  };
  const request = { sessionId: "s", callId: "1", toolName: "a", questions: [] };
  for (let n = 0; n < 500; n += 1)
    journal.append(n, n, `t${n + 1}`, {
      type: "question-request",
      id: "1",
      request: { ...request, id: `t${n + 1}/1` },
    });
  expect(await openRequests(counting)).toHaveLength(500);
  expect(reads).toBe(1);
});
