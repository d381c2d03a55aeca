import { describe, expect, expectTypeOf, test } from "vitest";
import type { ToolResult } from "../contract/call/result.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import { memoryStore } from "../journal/memory-store.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";
import { createSession as publicSession } from "./on-demand.ts";

const call = (id: string, name = "risky") => ({ id, name, arguments: {} });
const ASK = ["ask risky"];

function opened() {
  const store = memoryStore();
  const stub = stubTool("risky", () => "done", { idempotent: false });
  const options = { id: "s", store, tools: [stub.tool], policy: ASK };
  return { store, stub, options };
}

describe("a session in a store", () => {
  test("continues where it was, and one owner has it at a time", async () => {
    const { options } = opened();
    const first = await createSession({ ...options, policy: ["allow risky"] });
    await first.call("risky", {});
    await expect(createSession(options)).rejects.toMatchObject({ code: "session_in_use" });
    await first.close();
    const second = await createSession(options);
    expect((await second.run([call("1")])).id).toBe("t2");
    await second.close();
  });

  test("reads what still applies when it is opened, and not its history", async () => {
    const { store, options } = opened();
    for (let times = 0; times < 20; times += 1) {
      await using session = await createSession({ ...options, policy: ["allow risky"] });
      await session.run([call(`${times}`)]);
    }
    const journal = await store.open("s");
    const typesOf = async (query: { standing?: true }) => {
      const found = [];
      for await (const { type } of journal.read({ types: ["session-open", "turn-start"], ...query }))
        found.push(type);
      return found;
    };
    expect(await typesOf({ standing: true })).toEqual(["session-open"]);
    expect(await typesOf({})).toHaveLength(40);
  });

  test("waits, is answered in the store from anywhere, and is resumed", async () => {
    const { store, stub, options } = opened();
    const first = await createSession({ ...options, approver: scriptedApprover("later") });
    const turn = await first.run([call("1")]);
    if (turn.status !== "waiting") throw new Error("It does not wait.");
    await first.leave();
    const [waiting] = await store.waiting();
    expect(waiting).toMatchObject({ sessionId: "s", request: turn.requests[0] });
    for (const _ of [1, 2])
      await store.answer(turn.requests[0] as never, { verdict: "once", by: "ada" }, { key: "k" });
    expect(await store.unfinished(10)).toEqual([{ sessionId: "s", turn: turn.id }]);
    await using second = await createSession(options);
    expect(await second.resume(turn.id)).toMatchObject({ status: "done", results: [{ ok: true }] });
    expect([stub.executed.length, await store.waiting(), await store.unfinished(10)]).toEqual([1, [], []]);
    await second.answer(turn.requests[0] as never, { verdict: "once" }, { key: "k" });
    await expect(second.answer(turn.requests[0] as never, { verdict: "once" })).rejects.toMatchObject({
      code: "answer_refused",
    });
  });

  test("that is open takes an answer at once, and drops one that it refuses", async () => {
    const { store, options } = opened();
    await using session = await createSession({ ...options, approver: scriptedApprover("later") });
    const running = session.call(call("1"), { id: "turn" });
    while ((await store.waiting()).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await store.answer({ sessionId: "s", id: "turn/other" }, { verdict: "once" });
    await store.answer({ sessionId: "s", id: "turn/1" }, { verdict: "once" });
    expect(await running).toMatchObject({ ok: true });
    const left: unknown[] = [];
    await store.takeAnswers("s", async (one) => left.push(one) > 0);
    expect(left).toEqual([]);
  });

  test("is cancelled and steered from elsewhere, while it runs and before a turn is resumed", async () => {
    const { store, options } = opened();
    const slow = stubTool(
      "slow",
      (_args, { abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    );
    const policy = ["allow slow", ...ASK];
    const tools = [...options.tools, slow.tool];
    const session = await createSession({
      ...options,
      tools,
      policy,
      approver: scriptedApprover("later"),
      strategy: "sequential",
    });
    const running = session.run([call("1", "slow"), call("2", "slow")], { id: "a" });
    while (slow.executed.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await store.sendMessage("s", { text: "Stop that." });
    await store.cancel("s", "a");
    expect(await running).toMatchObject({
      results: [{ failure: { code: "cancelled" } }, { failure: { code: "skipped" } }],
      messages: [{ text: "Stop that." }],
    });
    const turn = await session.run([call("1")], { id: "b" });
    await session.leave();
    await store.cancel("s", "b");
    await using next = await createSession({ ...options, tools, policy });
    expect(await next.resume(turn.id)).toMatchObject({ results: [{ failure: { code: "cancelled" } }] });
  });

  test("gets the messages that a store failed to give with its next turn", async () => {
    const { store, options } = opened();
    await using session = await createSession({
      ...options,
      policy: ["allow risky"],
      strategy: "sequential",
    });
    await store.sendMessage("s", { text: "Stop that." });
    const take = store.takeMessages.bind(store);
    store.takeMessages = async (...given) => {
      store.takeMessages = take;
      await take(...given);
      throw new Error("the connection was lost");
    };
    await expect(session.run([call("1"), call("2")])).rejects.toThrow("the connection was lost");
    const { messages } = await session.run([call("3"), call("4")]);
    expect(messages).toEqual([{ text: "Stop that." }]);
  });

  test("that another owner takes over is cancelled, and writes nothing more", async () => {
    const { store, stub, options } = opened();
    const session = await createSession({ ...options, approver: scriptedApprover("later") });
    const running = session.call(call("1"));
    const taken = await store.open("s", { steal: true });
    await expect(running).rejects.toMatchObject({ code: "session_lost" });
    await expect(session.call(call("2"))).rejects.toMatchObject({ code: "session_lost" });
    await taken.release();
    expect(stub.executed).toEqual([]);
    await store.forget("s");
    expect(await store.waiting()).toEqual([]);
  });

  test("is free again when it could not be created", async () => {
    const { store, options } = opened();
    const failing = stubTool("failing", () => 1, {});
    const journal = await store.open("s");
    journal.append(0, 0, "", { type: "session-open", sessionId: "other" });
    await journal.release();
    await expect(createSession({ ...options, tools: [failing.tool] })).rejects.toThrow(
      /belongs to the session other/,
    );
    await expect(store.open("s")).resolves.toBeDefined();
  });

  test("has an expired request, which a sweeper finds", async () => {
    const { store, options } = opened();
    await using session = await createSession({
      ...options,
      approver: scriptedApprover("later"),
      limits: { approvalDeadlineMs: 300 },
    });
    const turn = await session.run([call("1")]);
    const late = Date.now() + 60_000;
    expect(await store.expired(late, 10)).toMatchObject([{ sessionId: "s", request: { id: "t1/1" } }]);
    await expect.poll(() => store.waiting()).toEqual([]);
    expect(await session.resume(turn.id)).toMatchObject({ results: [{ failure: { code: "denied" } }] });
    expect(await store.expired(late, 10)).toEqual([]);
  });
});

test("a call by name has the types of its tool", async () => {
  const weather = defineTool({
    name: "weather",
    description: "The weather.",
    inputSchema: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
    outputSchema: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    requires: {},
    execute: () => ({ celsius: 7 }),
  });
  await using session = await publicSession({ tools: [weather], policy: ["allow weather"] });
  const result = await session.call("weather", { city: "Oslo" });
  if (!result.ok) throw new Error(result.failure.message);
  expectTypeOf(result.data).toEqualTypeOf<{ celsius: number }>();
  expect(result.data.celsius).toBe(7);
  // @ts-expect-error: there is no such tool
  expect((await session.call("wether", { city: "Oslo" })).failure?.code).toBe("not_found");
  // @ts-expect-error: the city is missing
  expect((await session.call("weather", {})).failure?.code).toBe("invalid_arguments");
  const plain: Awaited<ReturnType<typeof publicSession>> = session;
  expectTypeOf(plain.call("any", {})).toExtend<Promise<ToolResult>>();
});

test.each([
  [{ aprover: 1 }, 'Unknown session option "aprover". Did you mean "approver"?'],
  [{ limits: { timeoutMS: 1 } }, 'Unknown limit "timeoutMS". Did you mean "timeoutMs"?'],
  [{ limits: { retry: { attempt: 1 } } }, 'Unknown retry limit "attempt". Did you mean "attempts"?'],
])("an unknown option is refused with a suggestion: %j", async (options, message) => {
  await expect(publicSession(options as object)).rejects.toThrow(message);
});
