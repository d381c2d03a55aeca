import { describe, expect, test } from "vitest";
import { until } from "../../../../tests/scenario.ts";
import { effect, fsWrite } from "../contract/call/effect.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";
import type { SessionOptions, SessionPorts } from "./options.ts";

const call = (id: string, name: string, args: ToolCall["arguments"] = {}): ToolCall => ({
  id,
  name,
  arguments: args,
});
const ALLOW = [{ permission: "*", action: "allow" }] as const;
const file = {
  requires: { fs: { write: ["/**"] } },
  effects: (args: Record<string, unknown>) => [fsWrite(String(args["path"]))],
};

/** A session that is simply left behind, as a killed process leaves it, and its successor over the same stores. */
function lives(options: SessionOptions) {
  const shared = { ...options, id: "s", journal: memoryJournal(), pending: memoryPending() };
  return {
    first: () => createSession(shared),
    next: (more: SessionOptions & SessionPorts = {}) => createSession({ ...shared, ...more }),
    shared,
  };
}

describe("after a crash", () => {
  test("what may run twice runs again; what may not is settled as unknown; what is done is not done again", async () => {
    let isFirstLife = true;
    const hang = () => (isFirstLife ? new Promise(() => {}) : "done now");
    const done = stubTool("done", () => "done before", { idempotent: false });
    const safe = stubTool("safe", hang, { idempotent: true });
    const unsafe = stubTool("unsafe", hang, { idempotent: false });
    const { first, next } = lives({ tools: [done.tool, safe.tool, unsafe.tool] });
    const session = await first();
    void session.run([call("1", "done"), call("2", "safe"), call("3", "unsafe")], { id: "turn" });
    await until(() => safe.executed.length + unsafe.executed.length === 2);
    isFirstLife = false;
    const successor = await next();
    const outcome = await successor.resume("turn");
    expect(outcome.results.map((result) => result?.data ?? result?.failure)).toEqual([
      "done before",
      "done now",
      {
        code: "outcome_unknown",
        message: "Interrupted: outcome unknown.",
        hint: "Find out whether it happened before you try again.",
      },
    ]);
    expect([done.executed.length, safe.executed.length, unsafe.executed.length]).toEqual([1, 2, 1]);
  });

  test("a parked turn is answered and resumed by another process, with the arguments that were approved", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const stub = stubTool("risky", (args) => args["path"], { ...file, idempotent: false });
    const { first, next, shared } = lives({ tools: [stub.tool], approver: scriptedApprover("later") });
    const parked = await (await first()).run([call("1", "risky", { path: "/a", token: secret })], {
      id: "turn",
    });
    expect(parked.status).toBe("waiting");
    const successor = await next();
    await successor.answer("turn/1", { verdict: "once", by: "ada" });
    expect((await successor.resume("turn")).results[0]?.data).toBe("/a");
    expect(stub.executed).toEqual([{ path: "/a", token: secret }]);
    const journalled = JSON.stringify(await Array.fromAsync(shared.journal.read()));
    expect(journalled).not.toContain(secret);
    expect(shared.pending.get("s/turn")).toBeUndefined();
    expect(shared.pending.get("s/turn/1")).toBeUndefined();
  });

  test("edited arguments survive a restart too, and are checked like any others", async () => {
    const stub = stubTool("risky", (args) => args["path"], { ...file, idempotent: false });
    const { first, next } = lives({ tools: [stub.tool], approver: scriptedApprover("later") });
    const session = await first();
    await session.run([call("1", "risky", { path: "/a" })], { id: "turn" });
    await session.answer("turn/1", { verdict: "edit", arguments: { path: "/edited" } });
    expect((await (await next()).resume("turn")).results[0]?.data).toBe("/edited");
  });

  test("a crash between the answer and the call loses neither", async () => {
    const stub = stubTool("risky", () => "x", { ...file, idempotent: false });
    const { first, next, shared } = lives({ tools: [stub.tool], approver: scriptedApprover("later") });
    const session = await first();
    await session.run([call("1", "risky", { path: "/a" })], { id: "turn" });
    await session.answer("turn/1", { verdict: "once" });
    let isWaiting = false;
    const hang = { name: "hang", before: () => new Promise<boolean>(() => (isWaiting = true)) };
    void (await next({ gates: [hang] })).resume("turn");
    await until(() => isWaiting);
    expect((await (await next()).resume("turn")).results[0]?.data).toBe("x");
    expect(stub.executed).toHaveLength(1);
    for (const key of ["s/turn", "s/turn/1", "s/turn/1/edit"])
      expect(shared.pending.get(key)).toBeUndefined();
  });

  test("a named turn that ran to its end is known in the next life, though nothing was counted", async () => {
    const stub = stubTool("pay", () => "paid", { idempotent: false });
    const { first, next } = lives({ tools: [stub.tool] });
    await (await first()).run([call("1", "pay")], { id: "monday" });
    expect((await (await next()).run([call("1", "pay")], { id: "monday" })).results[0]?.data).toBe("paid");
    expect(stub.executed).toHaveLength(1);
  });

  test("an answer counts under the policy of the day it is used", async () => {
    const stub = stubTool("risky", () => "x", { ...file, idempotent: false });
    const { first, next } = lives({ tools: [stub.tool], approver: scriptedApprover("later") });
    await (await first()).run([call("1", "risky", { path: "/a" })], { id: "turn" });
    const stricter = await next({ policy: [{ permission: "fs.write", action: "deny" }] });
    await stricter.answer("turn/1", { verdict: "once" });
    expect((await stricter.resume("turn")).results[0]?.failure?.code).toBe("denied");
    expect(stub.executed).toEqual([]);
  });

  test("if the arguments are gone, the call is interrupted, not guessed", async () => {
    const stub = stubTool("risky", () => "x", { ...file, idempotent: false });
    const { first, next } = lives({ tools: [stub.tool], approver: scriptedApprover("later") });
    await (await first()).run([call("1", "risky", { path: "/a" })], { id: "turn" });
    const successor = await next({ pending: memoryPending() });
    const outcome = await successor.resume("turn");
    expect(outcome).toMatchObject({ status: "done", results: [{ failure: { code: "interrupted" } }] });
    await expect(successor.resume("never")).rejects.toMatchObject({ code: "turn_unknown" });
  });

  test("a question inside a tool parks a call that has done nothing yet, and is asked once", async () => {
    const approver = scriptedApprover("once", () => "later");
    const stub = stubTool("question", async (_args, ctx) => (await ctx.ask([{ question: "Which?" }]))[0], {
      idempotent: false,
    });
    const { first, next } = lives({ tools: [stub.tool], approver });
    const parked = await (await first()).run([call("1", "question")], { id: "turn" });
    expect(parked).toMatchObject({ status: "waiting", requests: [{ id: "turn/1/question/1" }] });
    const successor = await next();
    await successor.answer("turn/1/question/1", [["this one"]]);
    expect((await successor.resume("turn")).results[0]?.data).toEqual(["this one"]);
    expect(approver.questions).toHaveLength(1);
  });

  test("a question in the middle of work that cannot be run again waits in the process", async () => {
    const approver = scriptedApprover("once", () => "later");
    const inner = stubTool("inner", () => "inner", { idempotent: false });
    const stub = stubTool(
      "worker",
      async (_args, ctx) => {
        await ctx.call("inner", {});
        return (await ctx.ask([{ question: "Go on?" }]))[0];
      },
      { idempotent: false },
    );
    const session = await createSession({ tools: [inner.tool, stub.tool], approver });
    const running = session.run([call("1", "worker")], { id: "turn" });
    await until(async () => (await session.waiting()).length === 1);
    await session.answer("turn/1/question/1", [["yes"]]);
    expect((await running).results[0]?.data).toEqual(["yes"]);
    expect(inner.executed).toHaveLength(1);
  });

  test("a tool that says it is resumable is run again, and its nested calls are not", async () => {
    const approver = scriptedApprover("once", () => "later");
    const inner = stubTool("inner", () => "inner", { idempotent: false });
    const stub = stubTool(
      "worker",
      async (_args, ctx) => {
        const first = await ctx.call("inner", {});
        return [first.data, (await ctx.ask([{ question: "Go on?" }]))[0]?.[0]];
      },
      { idempotent: false, resumable: true },
    );
    const { first, next } = lives({ tools: [inner.tool, stub.tool], approver });
    expect((await (await first()).run([call("1", "worker")], { id: "turn" })).status).toBe("waiting");
    const successor = await next();
    await successor.answer("turn/1/question/1", [["yes"]]);
    expect((await successor.resume("turn")).results[0]?.data).toEqual(["inner", "yes"]);
    expect(inner.executed).toHaveLength(1);
  });

  test("what a tool remembers is there in the next life", async () => {
    const { tool } = stubTool("counter", (_args, ctx) => {
      const next = ((ctx.state.get() as number | undefined) ?? 0) + 1;
      ctx.state.set(next);
      return next;
    });
    const counter = Object.freeze({ ...tool, stateSlot: { version: 1 } });
    const { first, next } = lives({ tools: [counter], policy: ALLOW });
    await (await first()).call(call("1", "counter"));
    expect((await (await next()).call(call("2", "counter"))).data).toBe(2);
  });
});

test("a turn runs once at a time, and of two answers the first counts", async () => {
  const stub = stubTool("risky", () => new Promise((resolve) => setTimeout(() => resolve("x"), 20)), {
    ...file,
    idempotent: false,
  });
  const session = await createSession({ tools: [stub.tool], approver: scriptedApprover("later") });
  await session.run([call("1", "risky", { path: "/a" })], { id: "turn" });
  const answers = await Promise.allSettled([
    session.answer("turn/1", { verdict: "once" }),
    session.answer("turn/1", { verdict: "reject" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  const resumed = await Promise.allSettled([session.resume("turn"), session.resume("turn")]);
  expect(resumed.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(stub.executed).toHaveLength(1);
});

test("a session that closes waits for what it stopped", async () => {
  const journal = memoryJournal();
  const { tool, executed } = stubTool(
    "long",
    (_args, { abortSignal }) =>
      new Promise((resolve) =>
        abortSignal.addEventListener("abort", () => setTimeout(() => resolve("late"), 30)),
      ),
  );
  const session = await createSession({ tools: [tool], journal });
  const running = session.call(call("1", "long"));
  await until(() => executed.length === 1);
  await session.close();
  expect((await running).failure?.code).toBe("cancelled");
  const types = (await Array.fromAsync(journal.read())).map(({ type }) => type);
  expect(types).toEqual(["session-open", "call-start", "call-end", "session-close"]);
});

test.each(["a/b", "", "x".repeat(300), "a\nb"])(
  "a call id that could be taken for something else is refused: %j",
  async (id) => {
    const { tool } = stubTool("a");
    const session = await createSession({ tools: [tool] });
    expect((await session.call(call(id, "a"))).failure?.code).toBe("invalid_call");
  },
);

test("a question without an approver is a failure with a fixed message", async () => {
  const { tool } = stubTool("question", (_args, ctx) => ctx.ask([{ question: "Which?" }]));
  const session = await createSession({ tools: [tool] });
  expect((await session.call(call("1", "question"))).failure?.message).toBe(
    "No approver is configured to answer questions. Continue with your best guess.",
  );
});

test("a turn that asks for it keeps its arguments only while it is parked", async () => {
  const puts: string[] = [];
  const kept = memoryPending();
  const pending = {
    ...kept,
    put: (key: string, text: string) => {
      puts.push(key);
      return kept.put(key, text);
    },
  };
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "note",
    description: "Notes something.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    requires: { capabilities: ["notes.add"] },
    effects: ({ text }) => [effect("notes.add", text)],
    execute: ({ text }) => void ran.push(text),
  });
  const rules = [{ permission: "notes.add", pattern: "free*", action: "allow" as const }];
  const session = await createSession({
    tools: [tool],
    policy: rules,
    pending,
    approver: async () => "later",
  });
  const call = (text: string) => [{ id: "c", name: "note", arguments: { text } }];
  await session.run(call("free"), { id: "a", keepArguments: "parked" });
  expect(puts).toEqual([]);
  const parked = await session.run(call("asked"), { id: "b", keepArguments: "parked" });
  expect(puts.every((key) => key.startsWith(`${session.id}/b`))).toBe(true);
  expect(puts).toContain(`${session.id}/b`);
  await session.answer(parked.requests[0]?.id ?? "", { verdict: "once" });
  expect((await session.resume("b")).status).toBe("done");
  expect(ran).toEqual(["free", "asked"]);
  expect(await kept.get(`${session.id}/b`)).toBeUndefined();
});
