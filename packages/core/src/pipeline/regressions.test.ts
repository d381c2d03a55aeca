import { expect, test } from "vitest";
import { z } from "zod";
import { ALLOW, call, FAST_RETRY, sleep } from "../../../../tests/scenario.ts";
import { fsDelete, fsWrite } from "../contract/effect.ts";
import { ToolFailure } from "../contract/failure.ts";
import { output } from "../contract/result.ts";
import { defineTool } from "../contract/tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { createEffectLocks } from "../locks/effect-locks.ts";
import { lockKeys } from "../locks/lock-keys.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSession, reopenSession } from "../session/create-session.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";

/** Each of these was once broken. */

const file = {
  requires: { fs: { write: ["/**"] } },
  effects: (args: Record<string, unknown>) => [fsWrite(String(args["path"]))],
  idempotent: false,
};

test("half a private key in the arguments, or as a name, breaks neither the call nor the journal", async () => {
  const journal = memoryJournal();
  const session = await createSession({ tools: [stubTool("a").tool], journal });
  const begun = "-----BEGIN PRIVATE KEY-----";
  expect((await session.call(call("a", { x: begun, y: 1 }))).ok).toBe(true);
  expect((await session.call(call(begun, {}, "c2"))).failure?.code).toBe("not_found");
  expect(await Array.fromAsync(journal.read())).not.toEqual([]);
});

test("a secret behind JSON escapes is found all the same", async () => {
  const journal = memoryJournal();
  const token = `ghp_${"a1B2".repeat(9)}`;
  const session = await createSession({ tools: [stubTool("a").tool], journal });
  await session.call(call("a", `{"t":"\\u0067hp_${token.slice(4)}"}`));
  expect(JSON.stringify(await Array.fromAsync(journal.read()))).not.toContain(token.slice(4));
});

test("the person sees the defaults that will run", async () => {
  const { tool } = stubTool("risky", (args) => args, file);
  const schema = {
    type: "object",
    properties: { force: { type: "boolean", default: true }, path: { type: "string" } },
  };
  const approver = scriptedApprover("once");
  const session = await createSession({
    tools: [defineTool({ ...tool, inputSchema: schema }) as never],
    approver,
  });
  await session.call(call("risky", '{"path":"/a"}'));
  expect(approver.requests[0]?.arguments).toEqual({ path: "/a", force: true });
});

test("gates that come after one that changes the arguments still have their say", async () => {
  const stub = stubTool("a");
  const rewrite = { name: "rewrite", before: () => ({ arguments: { n: 666 } }) };
  const veto = { name: "veto", before: ({ args }: { args: { n?: unknown } }) => args.n !== 666 };
  for (const gates of [
    [rewrite, veto],
    [veto, rewrite],
  ]) {
    const session = await createSession({ tools: [stub.tool], gates: gates as never });
    expect((await session.call(call("a", { n: 1 }))).failure?.code).toBe("skipped");
  }
  expect(stub.executed).toEqual([]);
});

test.each([undefined, null, 0, "yes", {}])("a gate that answers %j has not said yes", async (answer) => {
  const session = await createSession({
    tools: [stubTool("a").tool],
    gates: [{ name: "g", before: () => answer as never }],
  });
  expect((await session.call(call("a"))).failure?.code).toBe("skipped");
});

test("an approval counts for what was shown, also in another life", async () => {
  let target = "/a";
  const stub = stubTool("shifty", () => "x", { ...file, effects: () => [fsWrite(target)] });
  const shared = {
    tools: [stub.tool],
    sessionId: "s",
    journal: memoryJournal(),
    pending: memoryPending(),
    approver: scriptedApprover("later"),
  };
  const first = await createSession(shared);
  await first.batch([call("shifty", {}, "1")], { turnId: "turn" });
  await first.answer("turn/1", { verdict: "once" });
  target = "/b";
  const next = await reopenSession(shared);
  expect((await next.resume("turn")).results[0]?.failure?.message).toContain(
    "not the call that was approved",
  );
  expect(stub.executed).toEqual([]);
});

test("sessions that share a store for pending arguments do not get each other's", async () => {
  const pending = memoryPending();
  const stub = stubTool("risky", (args) => args["n"], { ...file, effects: () => [fsWrite("/a")] });
  const open = (sessionId: string) =>
    createSession({ tools: [stub.tool], sessionId, pending, approver: scriptedApprover("later") });
  const [a, b] = [await open("a"), await open("b")];
  await a.batch([call("risky", { n: 1 }, "c")], { turnId: "t" });
  await b.batch([call("risky", { n: 666 }, "c")], { turnId: "t" });
  await a.answer("t/c", { verdict: "once" });
  expect((await a.resume("t")).results[0]?.data).toBe(1);
});

test("a turn whose beginning is forgotten is not run again", async () => {
  const stub = stubTool("pay", () => "paid", { idempotent: false });
  const asks = stubTool("asks", () => "x", file);
  const journal = memoryJournal({ keepBytes: 2_000, batchEvents: 4 });
  const session = await createSession({
    tools: [stub.tool, asks.tool],
    journal,
    approver: scriptedApprover("later"),
  });
  await session.batch([call("pay", {}, "1"), call("asks", { path: "/a" }, "2")], { turnId: "turn" });
  for (let n = 0; n < 100; n += 1) await session.call(call("pay", {}, `x${n}`));
  const paid = stub.executed.length;
  await expect(session.resume("turn")).rejects.toMatchObject({ code: "turn_unknown" });
  expect(stub.executed).toHaveLength(paid);
});

test("cancelled while it waits to be tried again, a call ends and is not tried again", async () => {
  const stub = stubTool("flaky", () => {
    throw new ToolFailure("busy", "Busy.", { transient: true });
  });
  const session = await createSession({ tools: [stub.tool], settings: { retry: { unitMs: 10_000 } } });
  const running = session.call(call("flaky"));
  await sleep(10);
  session.cancel();
  expect((await running).failure?.code).toBe("cancelled");
  expect(stub.executed).toHaveLength(1);
});

test("waiting to be tried again is not the tool's time, and another attempt starts with empty hands", async () => {
  let left = 1;
  const { tool } = stubTool(
    "flaky",
    async (_args, ctx) => {
      await ctx.output.write(`try ${left}`);
      left -= 1;
      if (left >= 0) throw new ToolFailure("busy", "Busy.", { transient: true });
    },
    { timeoutMs: 60 },
  );
  const session = await createSession({ tools: [tool], settings: { retry: { unitMs: 80 } } });
  expect(await session.call(call("flaky"))).toMatchObject({ ok: true, data: "try 0", attempts: 2 });
});

test("an update that is not JSON fails in the tool, not in a timer", async () => {
  const { tool } = stubTool("odd", (_args, ctx) => {
    ctx.update(1);
    ctx.update({ big: 1n });
  });
  const session = await createSession({ tools: [tool] });
  expect((await session.call(call("odd"))).failure?.code).toBe("tool_crashed");
  await sleep(80);
});

test("a tool that was cut off can call nothing any more", async () => {
  const inner = stubTool("inner", () => "x", { idempotent: false });
  const { tool } = stubTool(
    "outer",
    async (_args, ctx) => {
      await sleep(100);
      return ctx.call("inner", {});
    },
    { timeoutMs: 30 },
  );
  const session = await createSession({ tools: [tool, inner.tool] });
  expect((await session.call(call("outer"))).failure?.code).toBe("timed_out");
  await sleep(120);
  expect(inner.executed).toEqual([]);
});

test("a call inside another that goes ahead of a waiter holds it up", async () => {
  const locks = createEffectLocks();
  const outer = locks.request(lockKeys([fsWrite("/x")]));
  const other = locks.request(lockKeys([fsWrite("/y")]));
  const waiter = locks.request(lockKeys([fsWrite("/y"), fsWrite("/a")]));
  const inner = locks.request(lockKeys([fsWrite("/a")]), outer);
  expect(inner.granted).toBeUndefined();
  other.release();
  expect(waiter.granted).toBeInstanceOf(Promise);
  inner.release();
  expect(waiter.granted).toBeUndefined();
});

test("whoever changes a folder excludes whoever changes something in it", () => {
  const locks = createEffectLocks();
  locks.request(lockKeys([fsDelete("/ws/dir")]));
  expect(locks.request(lockKeys([fsWrite("/ws/dir/f")])).granted).toBeInstanceOf(Promise);
});

test("a place that was given up stays given up", () => {
  const locks = createEffectLocks();
  const place = locks.request(lockKeys([fsWrite("/a")]));
  place.release();
  place.move(lockKeys([fsWrite("/a")]));
  expect(locks.request(lockKeys([fsWrite("/a")])).granted).toBeUndefined();
});

test("whatever breaks on the way to a call refuses that call alone", async () => {
  const throwing = defineTool({
    ...stubTool("refined").tool,
    inputSchema: z.object({}).refine(() => {
      throw new Error("refinement");
    }) as never,
  });
  const odd = stubTool("odd", () => "x", { effects: async () => [null as never] });
  const big = defineTool({
    ...stubTool("big").tool,
    inputSchema: z.object({ n: z.string().transform(BigInt) }) as never,
  });
  const session = await createSession({ tools: [throwing, odd.tool, big, stubTool("good").tool] });
  const outcome = await session.batch([
    call("refined", {}, "1"),
    call("odd", {}, "2"),
    call("big", { n: "3" }, "3"),
    call("good", {}, "4"),
  ]);
  expect(outcome.results.map((result) => result?.failure?.code ?? "ok")).toEqual([
    "tool_crashed",
    "foresee_failed",
    "ok",
    "ok",
  ]);
});

test("what cannot be written down is a failure of the tool, and recorded", async () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const { tool } = stubTool("loop", () => output({ data: 1, details: loop }));
  const foreign = stubTool("map", () => new Map([[1, 2]]));
  const session = await createSession({ tools: [tool, foreign.tool] });
  expect((await session.call(call("loop"))).failure?.code).toBe("tool_failed");
  expect((await session.call(call("map"))).failure?.code).toBe("tool_failed");
});

test("content, messages and partial results are bounded like data", async () => {
  const big = "x".repeat(50_000);
  const content = stubTool("content", () => output({ content: [{ type: "text", text: big }] }));
  const words = stubTool("words", () => {
    throw new ToolFailure("big", big);
  });
  const partial = stubTool(
    "partial",
    (_args, { abortSignal }) =>
      new Promise((resolve) => abortSignal.addEventListener("abort", () => resolve(big))),
    { timeoutMs: 20 },
  );
  const session = await createSession({
    tools: [content.tool, words.tool, partial.tool],
    settings: { maxOutputBytes: 1_000 },
  });
  for (const name of ["content", "words", "partial"]) {
    const result = await session.call(call(name, {}, name));
    expect(JSON.stringify(result).length).toBeLessThan(11_000);
  }
  expect((await session.call(call("content", {}, "again"))).truncation).toMatchObject({
    kept: 1_000,
    lost: 49_000,
  });
});

test("a watchdog that hangs, or answers nonsense, denies", async () => {
  const judge = () => ({ action: "sure" }) as never;
  const session = await createSession({ tools: [stubTool("a").tool], watchdogs: [{ name: "dog", judge }] });
  expect((await session.call(call("a"))).failure?.message).toContain("no verdict that is known");
});

test("an approval is forgotten when the tool is reloaded, and remembered for one without effects", async () => {
  const approver = scriptedApprover("always");
  const registry = createRegistry();
  const origin = { layer: "project", source: "folder" } as const;
  registry.register(stubTool("a").tool, { origin });
  const session = await createSession({ registry, approver });
  for (const id of ["1", "2"]) await session.call(call("a", {}, id));
  expect(approver.requests).toHaveLength(1);
  registry.reload(stubTool("a").tool, { origin });
  await session.call(call("a", {}, "3"));
  expect(approver.requests).toHaveLength(2);
});

test("a call that a named turn made is not made again", async () => {
  const stub = stubTool("pay", () => "paid", { idempotent: false });
  const session = await createSession({ tools: [stub.tool] });
  for (let n = 0; n < 3; n += 1) {
    const { results } = await session.batch([call("pay", {}, "1")], { turnId: "turn" });
    expect(results[0]?.data).toBe("paid");
  }
  expect(stub.executed).toHaveLength(1);
});

test("an answer that comes before the approver has said `later` is not lost", async () => {
  const holder: { answer?: () => Promise<void> } = {};
  const stub = stubTool("risky", () => "x", file);
  const approver = async () => {
    await holder.answer?.();
    return "later" as const;
  };
  const session = await createSession({ tools: [stub.tool], approver });
  holder.answer = () => session.answer("t1/c1", { verdict: "once" });
  expect((await session.call(call("risky", { path: "/a" }))).data).toBe("x");
});

test("a destructive tool that says it does nothing still asks", async () => {
  const { tool } = stubTool("wipe", () => "x", { mode: "destructive" });
  expect((await (await createSession({ tools: [tool] })).call(call("wipe"))).failure?.code).toBe("denied");
});

test("a session says what it waits for, and takes no answer of another kind", async () => {
  const session = await createSession({
    tools: [stubTool("risky", () => "x", file).tool],
    approver: scriptedApprover("later"),
  });
  const outcome = await session.batch([call("risky", { path: "/a" })], { turnId: "turn" });
  expect(outcome).toMatchObject({ status: "parked", turnId: "turn", messages: [] });
  expect(await session.waiting()).toMatchObject([{ id: "turn/c1", toolName: "risky" }]);
  for (const odd of [[["yes"]], { verdict: "yes" }]) {
    await expect(session.answer("turn/c1", odd as never)).rejects.toMatchObject({ code: "answer_refused" });
  }
  await session.answer("turn/c1", { verdict: "once" });
  expect(await session.waiting()).toEqual([]);
});

test("what the embedder wrote wrong is thrown, and a used journal is not begun anew", async () => {
  const { tool } = stubTool("a");
  await expect(createSession({ tools: [tool, tool] })).rejects.toMatchObject({ code: "invalid_tool" });
  const journal = memoryJournal();
  await createSession({ tools: [tool], journal, sessionId: "s" });
  await expect(createSession({ tools: [tool], journal })).rejects.toMatchObject({ code: "invalid_option" });
  const pending = memoryPending();
  await expect(reopenSession({ tools: [tool], journal, pending, sessionId: "other" })).rejects.toMatchObject({
    code: "invalid_option",
  });
});

test("a raw call in a provider's shape is refused with what to do", async () => {
  const session = await createSession({ tools: [stubTool("a").tool], rules: ALLOW, settings: FAST_RETRY });
  const raw = { id: "c1", type: "function", function: { name: "a", arguments: "{}" } } as never;
  expect((await session.call(raw)).failure).toMatchObject({
    code: "invalid_call",
    message: expect.stringContaining("toolCallFromOpenAi"),
  });
});
