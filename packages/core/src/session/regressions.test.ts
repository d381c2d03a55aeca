import { expect, test } from "vitest";
import { z } from "zod";
import { ALLOW, call, FAST_RETRY } from "../../../../tests/scenario.ts";
import { fsDelete, fsWrite } from "../contract/call/effect.ts";
import { ToolFailure, toolOutput } from "../contract/call/result.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { createEffectLocks } from "../locks/effect-locks.ts";
import { lockKeys } from "../locks/lock-keys.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createRegistry } from "../registry/registry.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";
import { TurnNames } from "./turn.ts";

/** Each of these was once broken. */

const file = {
  requires: { fs: { write: ["/**"] } },
  effects: (args: Record<string, unknown>) => [fsWrite(String(args["path"]))],
  idempotent: false,
};

test("a call that changes a folder excludes one that changes something in it", () => {
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
  const outcome = await session.run([
    call("refined", {}, "1"),
    call("odd", {}, "2"),
    call("big", { n: "3" }, "3"),
    call("good", {}, "4"),
  ]);
  expect(outcome.results.map((result) => result?.failure?.code ?? "ok")).toEqual([
    "tool_crashed",
    "effects_failed",
    "ok",
    "ok",
  ]);
});

test("what cannot be written down is a failure of the tool, and recorded", async () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  const { tool } = stubTool("loop", () => toolOutput({ data: 1, details: loop }));
  const foreign = stubTool("map", () => new Map([[1, 2]]));
  const session = await createSession({ tools: [tool, foreign.tool] });
  expect((await session.call(call("loop"))).failure?.code).toBe("tool_failed");
  expect((await session.call(call("map"))).failure?.code).toBe("tool_failed");
});

test("content, messages and partial results are bounded like data", async () => {
  const big = "x".repeat(50_000);
  const content = stubTool("content", () => toolOutput({ content: [{ type: "text", text: big }] }));
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
    limits: { maxOutputBytes: 1_000 },
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
  const evaluate = () => ({ action: "sure" }) as never;
  const session = await createSession({
    tools: [stubTool("a").tool],
    policy: { watchdogs: [{ name: "dog", evaluate }] },
  });
  expect((await session.call(call("a"))).failure?.message).toContain("no verdict that is known");
});

test("an approval is forgotten when the tool is reloaded as another, and remembered for one without effects", async () => {
  const approver = scriptedApprover("always");
  const registry = createRegistry();
  const origin = { layer: "project", source: "folder" } as const;
  registry.register(stubTool("a").tool, { origin });
  const session = await createSession({ registry, approver });
  for (const id of ["1", "2"]) await session.call(call("a", {}, id));
  expect(approver.requests).toHaveLength(1);
  registry.reload(stubTool("a").tool, { origin });
  await session.call(call("a", {}, "3"));
  expect(approver.requests).toHaveLength(1);
  registry.reload(stubTool("a", () => "x", { description: "Another tool." }).tool, { origin });
  await session.call(call("a", {}, "4"));
  expect(approver.requests).toHaveLength(2);
});

test("a call that a named turn made is not made again", async () => {
  const stub = stubTool("pay", () => "paid", { idempotent: false });
  const session = await createSession({ tools: [stub.tool] });
  for (let n = 0; n < 3; n += 1) {
    const { results } = await session.run([call("pay", {}, "1")], { id: "turn" });
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
  const outcome = await session.run([call("risky", { path: "/a" })], { id: "turn" });
  expect(outcome).toMatchObject({ status: "waiting", id: "turn", messages: [] });
  expect(await session.waiting()).toMatchObject([{ id: "turn/c1", toolName: "risky" }]);
  for (const odd of [[["yes"]], { verdict: "yes" }]) {
    await expect(session.answer("turn/c1", odd as never)).rejects.toMatchObject({ code: "answer_refused" });
  }
  await session.answer("turn/c1", { verdict: "once" });
  expect(await session.waiting()).toEqual([]);
});

test("an invalid option is thrown", async () => {
  const { tool } = stubTool("a");
  await expect(createSession({ tools: [tool, tool] })).rejects.toMatchObject({ code: "invalid_tool" });
  const journal = memoryJournal();
  await createSession({ tools: [tool], journal, id: "s" });
  await expect(createSession({ tools: [tool], journal })).rejects.toMatchObject({ code: "invalid_option" });
  const pending = memoryPending();
  await expect(createSession({ tools: [tool], journal, pending, id: "other" })).rejects.toMatchObject({
    code: "invalid_option",
  });
});

test("a raw call in a provider's shape is refused with what to do", async () => {
  const session = await createSession({ tools: [stubTool("a").tool], policy: ALLOW, limits: FAST_RETRY });
  const raw = { id: "c1", type: "function", function: { name: "a", arguments: "{}" } } as never;
  expect((await session.call(raw)).failure).toMatchObject({
    code: "invalid_call",
    message: expect.stringContaining("toolCallFromOpenAi"),
  });
});

test("a turn that was made under its name may be known, however many came after it", () => {
  const names = new TurnNames(createRedactor());
  expect(names.take("invoice").mayBeKnown).toBe(false);
  for (let turn = 0; turn < 10_001; turn += 1) names.take(`later-${turn}`);
  expect(names.take("invoice").mayBeKnown).toBe(true);
});
