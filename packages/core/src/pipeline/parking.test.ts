import { describe, expect, test } from "vitest";
import { fsRead, fsWrite } from "../contract/call/effect.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { createSession } from "../session/create-session.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const call = (id: string, name: string, args: ToolCall["arguments"] = {}): ToolCall => ({
  id,
  name,
  arguments: args,
});

describe("questions to people", () => {
  const asking = (execute: () => unknown = () => "did it") =>
    stubTool("risky", execute, {
      requires: { fs: { write: ["/**"] } },
      effects: (args) => [fsWrite(String(args["path"]))],
      idempotent: false,
    });

  test("all questions of a batch are put at once, in order, before anything runs", async () => {
    const log: string[] = [];
    const tool = asking(() => log.push("ran")).tool;
    const approver = scriptedApprover(async ({ callId }) => {
      log.push(`asked ${callId}`);
      // All are asked before one is answered; otherwise this never ends.
      while (log.length < 3) await sleep(1);
      return { verdict: "once" };
    });
    const calls = ["1", "2", "3"].map((id) => call(id, "risky", { path: `/${id}` }));
    await createSession({ tools: [tool], approver, strategy: "sequential" }).then((session) =>
      session.run(calls),
    );
    expect(log).toEqual(["asked 1", "asked 2", "asked 3", "ran", "ran", "ran"]);
  });

  test("a turn parks when the answer comes from elsewhere; what is allowed runs, what conflicts waits; nothing runs twice", async () => {
    const risky = asking();
    const free = stubTool("free", () => "free");
    const reader = stubTool("reader", () => "read", {
      requires: { fs: { read: ["/**"] } },
      effects: (args) => [fsRead(String(args["path"]))],
    });
    const rules = [{ permission: "fs.read", action: "allow" }] as const;
    const approver = scriptedApprover("later");
    const session = await createSession({
      tools: [risky.tool, free.tool, reader.tool],
      policy: rules,
      approver,
    });
    const calls = [
      call("1", "risky", { path: "/a" }),
      call("2", "free"),
      call("3", "reader", { path: "/a" }),
      call("4", "reader", { path: "/b" }),
    ];
    const parked = await session.run(calls, { id: "turn" });
    expect(parked).toMatchObject({ status: "waiting", requests: [{ id: "turn/1" }] });
    expect(parked.results.map((result) => result?.data)).toEqual([undefined, "free", undefined, "read"]);
    await session.answer("turn/1", { verdict: "once", by: "ada" });
    await expect(session.answer("turn/1", { verdict: "reject" })).rejects.toMatchObject({
      code: "answer_refused",
    });
    await expect(session.answer("turn/9", { verdict: "once" })).rejects.toMatchObject({
      code: "answer_refused",
    });
    const done = await session.resume("turn");
    expect(done.results.map((result) => result?.data)).toEqual(["did it", "free", "read", "read"]);
    expect([risky.executed.length, free.executed.length, reader.executed.length]).toEqual([1, 1, 2]);
    expect((await session.resume("turn")).results).toEqual(done.results);
    expect([risky.executed.length, free.executed.length, reader.executed.length]).toEqual([1, 1, 2]);
  });

  test("under sequential, nothing after a parked call runs", async () => {
    const free = stubTool("free", () => "free");
    const session = await createSession({
      tools: [asking().tool, free.tool],
      approver: scriptedApprover("later"),
      strategy: "sequential",
    });
    const outcome = await session.run([
      call("0", "free"),
      call("1", "risky", { path: "/a" }),
      call("2", "free"),
    ]);
    expect(outcome.results.map((result) => result?.data)).toEqual(["free", undefined, undefined]);
    expect(free.executed).toHaveLength(1);
  });

  test("steering withdraws the questions that are not needed any more", async () => {
    const withdrawn: string[] = [];
    const holder: { steer?: () => void } = {};
    const asked = Promise.withResolvers<void>();
    const first = stubTool("first", async () => {
      await asked.promise;
      holder.steer?.();
    });
    const approver = (request: { callId: string }, signal: AbortSignal) => {
      asked.resolve();
      return new Promise<{ verdict: "once" }>(() =>
        signal.addEventListener("abort", () => withdrawn.push(request.callId)),
      );
    };
    const session = await createSession({
      tools: [asking().tool, first.tool],
      approver,
      strategy: "sequential",
    });
    holder.steer = () => session.steer("stop");
    const outcome = await session.run([call("1", "first"), call("2", "risky", { path: "/a" })]);
    expect(outcome.results[1]?.failure?.code).toBe("skipped");
    expect(withdrawn).toEqual(["2"]);
  });

  test("what steering made needless before it was asked is not asked, or withdrawn at once", async () => {
    const open = new Set<string>();
    const approver = (request: { callId: string }, signal: AbortSignal) => {
      // A journal that takes a while to write lets the question out before the message arrives.
      open.add(request.callId);
      if (signal.aborted) open.delete(request.callId);
      return new Promise<{ verdict: "once" }>(() =>
        signal.addEventListener("abort", () => open.delete(request.callId)),
      );
    };
    const holder: { steer?: () => void } = {};
    const first = stubTool("first", () => holder.steer?.());
    const risky = asking();
    const session = await createSession({
      tools: [risky.tool, first.tool],
      approver,
      strategy: "sequential",
    });
    holder.steer = () => session.steer("stop");
    const calls = [call("1", "first"), call("2", "risky", { path: "/a" })];
    expect((await session.run(calls)).results[1]?.failure?.code).toBe("skipped");
    await sleep(20);
    expect([...open]).toEqual([]);
    expect(risky.executed).toEqual([]);
  });
});
