import { describe, expect, test } from "vitest";
import { call, until } from "../../../../tests/scenario.ts";
import { variables, write, writer } from "../../../../tests/workspace-writer.ts";
import { fsRead, netFetch } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

describe("answers from elsewhere", () => {
  test.each([
    [
      { verdict: "reject", reason: "no" },
      'Unknown field of a "reject" "reason". It can have `message` and `by`.',
    ],
    [
      { verdict: "always", scop: "project" },
      'Unknown field of a "always" "scop". Did you mean "scope"? It can have `scope` and `by`.',
    ],
  ])("%j is refused: a field that is not known may have been meant to limit it", async (answer, message) => {
    const ask = { tools: [writer()], variables };
    await using session = await createSession({ ...ask, approver: scriptedApprover("later") });
    await session.run([write("/ws/a")], { id: "t1" });
    const given = session.answer("t1/c1", answer as never);
    await expect(given).rejects.toMatchObject({ code: "answer_refused" });
    await expect(given).rejects.toThrow(message);
    await using other = await createSession({ ...ask, approver: async () => answer as never });
    const { failure } = await other.call(write("/ws/a"));
    expect(failure?.message).toBe(`Denied: the approver gave an invalid answer. ${message}`);
  });

  test("a tool that changed while its call waited is another tool", async () => {
    const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
    const later = scriptedApprover("later");
    const session = await createSession({ ...stores, tools: [writer()], approver: later, variables });
    await session.run([write("/ws/a")], { id: "t1" });
    await session.answer("t1/c1", { verdict: "once" });
    const changed = await createSession({
      ...stores,
      tools: [writer("Writes elsewhere.")],
      approver: later,
      variables,
    });
    expect(await changed.resume("t1")).toMatchObject({
      results: [{ ok: false, failure: { code: "denied" } }],
    });
  });

  test("are refused when the time is over, and no answer is a denial", async () => {
    const limits = { approvalDeadlineMs: 500 };
    const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
    const options = {
      ...stores,
      tools: [writer()],
      approver: scriptedApprover("later"),
      variables,
      limits,
    };
    await using session = await createSession(options);
    await session.run([write("/ws/a")], { id: "t1" });
    const [request] = await session.waiting();
    expect(request).toMatchObject({ expiresAt: expect.any(Number) });
    await until(() => Date.now() > Number((request as { expiresAt?: number }).expiresAt));
    await expect(session.answer("t1/c1", { verdict: "once" })).rejects.toThrow(/time for it is over/);
    const outcome = await session.resume("t1");
    expect(outcome.results[0]?.failure?.message).toMatch(/in time/);
    const hanging = await createSession({
      tools: [writer()],
      approver: () => new Promise(() => {}),
      variables,
      limits,
    });
    expect((await hanging.call(write("/ws/a"))).failure?.message).toMatch(/in time/);
  });
});

test("what a later call of the batch brings up is in the request of an earlier one", async () => {
  const touching = stubTool("touch", () => "x", {
    requires: { fs: { read: ["/**"] }, net: { hosts: ["*"] } },
    effects: () => [fsRead("/ws/.env"), netFetch("docs.example")],
  }).tool;
  const send = stubTool("send", () => "sent", {
    requires: { net: { hosts: ["*"] } },
    effects: () => [netFetch("other.example")],
  }).tool;
  const approver = scriptedApprover("once");
  const session = await createSession({ tools: [touching, send], approver, variables });
  await session.run([call("send", {}, "c1"), call("touch", {}, "c2")]);
  expect(approver.requests.map(({ callId, askedBy }) => [callId, askedBy.includes("rule-of-two")])).toEqual([
    ["c1", true],
    ["c2", true],
  ]);
});

test("a rule that held a secret is gone in the next life, and the session is not", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const path = `/ws/${token}`;
  const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
  const rules = [{ permission: "fs.write", pattern: path, action: "allow" }] as const;
  const approver = scriptedApprover([{ verdict: "rules", rules }]);
  const session = await createSession({ ...stores, tools: [writer()], approver, variables });
  expect((await session.call(write(path))).ok).toBe(true);
  const again = await createSession({ ...stores, tools: [writer()], variables });
  expect((await again.call(write(path, "c2"))).failure?.code).toBe("denied");
  const written = (await stores.journal.batches()).map(({ bytes }) => new TextDecoder().decode(bytes));
  expect(written.join("")).not.toContain(token);
});

test("what is asked while a tool is prepared is written down without secrets", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const journal = memoryJournal();
  const { tool } = stubTool("login", () => "in");
  const asking = defineTool({
    ...tool,
    init: async (_config, ctx) => void (await ctx.ask([{ question: `Is ${token} right?` }])),
  });
  await createSession({ tools: [asking], journal, approver: scriptedApprover("once", () => [[token]]) });
  await journal.flush();
  const written = (await journal.batches()).map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
  expect(written).toContain("question-answer");
  expect(written).not.toContain(token);
});
