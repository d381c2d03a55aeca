import { expect, test } from "vitest";
import { ALLOW, call, sleep, until } from "../../../../tests/scenario.ts";
import { fsWrite } from "../contract/call/effect.ts";
import { ToolFailure } from "../contract/call/result.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { createEffectLocks } from "../locks/effect-locks.ts";
import { lockKeys } from "../locks/lock-keys.ts";
import { createSession } from "../session/create-session.ts";
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
    id: "s",
    journal: memoryJournal(),
    pending: memoryPending(),
    approver: scriptedApprover("later"),
  };
  const first = await createSession(shared);
  await first.run([call("shifty", {}, "1")], { id: "turn" });
  await first.answer("turn/1", { verdict: "once" });
  target = "/b";
  const next = await createSession(shared);
  expect((await next.resume("turn")).results[0]?.failure?.message).toContain(
    "not the call that was approved",
  );
  expect(stub.executed).toEqual([]);
});

test("sessions that share a store for pending arguments do not get each other's", async () => {
  const pending = memoryPending();
  const stub = stubTool("risky", (args) => args["n"], { ...file, effects: () => [fsWrite("/a")] });
  const open = (sessionId: string) =>
    createSession({ tools: [stub.tool], id: sessionId, pending, approver: scriptedApprover("later") });
  const [a, b] = [await open("a"), await open("b")];
  await a.run([call("risky", { n: 1 }, "c")], { id: "t" });
  await b.run([call("risky", { n: 666 }, "c")], { id: "t" });
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
  await session.run([call("pay", {}, "1"), call("asks", { path: "/a" }, "2")], { id: "turn" });
  for (let n = 0; n < 100; n += 1) await session.call(call("pay", {}, `x${n}`));
  const paid = stub.executed.length;
  await expect(session.resume("turn")).rejects.toMatchObject({ code: "turn_unknown" });
  expect(stub.executed).toHaveLength(paid);
});

test("cancelled while it waits to be tried again, a call ends and is not tried again", async () => {
  const stub = stubTool("flaky", () => {
    throw new ToolFailure("busy", "Busy.", { transient: true });
  });
  const session = await createSession({ tools: [stub.tool], limits: { retry: { unitMs: 10_000 } } });
  const running = session.call(call("flaky"));
  await until(() => stub.executed.length === 1);
  session.cancel();
  expect((await running).failure?.code).toBe("cancelled");
  expect(stub.executed).toHaveLength(1);
});

test("waiting to be tried again is not the tool's time, and another attempt starts anew", async () => {
  let left = 1;
  const { tool } = stubTool(
    "flaky",
    async (_args, ctx) => {
      await ctx.output.write(`try ${left}`);
      left -= 1;
      if (left >= 0) throw new ToolFailure("busy", "Busy.", { transient: true });
    },
    { timeoutMs: 500 },
  );
  const session = await createSession({ tools: [tool], limits: { retry: { unitMs: 600 } } });
  expect(await session.call(call("flaky"))).toMatchObject({ ok: true, data: "try 0", attempts: 2 });
});

test("a budget that throws refuses the call, and gives its place up", async () => {
  const stub = stubTool("w", () => "written", file);
  const session = await createSession({ tools: [stub.tool], policy: ALLOW });
  const budget = {
    charge: () => {
      throw new Error("no bank");
    },
    describe: () => "",
    reset: () => {},
  };
  expect((await session.call(call("w", { path: "/a" }), { budget })).failure?.code).toBe("tool_crashed");
  expect((await session.call(call("w", { path: "/a" }, "c2"))).data).toBe("written");
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
