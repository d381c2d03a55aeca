import { toolOutput } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { scriptedModel } from "../ai-sdk/scripted-model.test.kit.ts";
import { createAgent } from "./create-agent.ts";
import { allOf, call, endOf } from "./scripted-agent.test.kit.ts";

const endless = () => scriptedModel(Array.from({ length: 50 }, (_, n) => [call(`c${n}`, "work")]));

test("a run ends when a limit of steps, tokens or calls is reached", async () => {
  const work = stubTool("work");
  const options = { tools: [work.tool], policy: ["allow work"] };
  const ended = async (limits: object) => {
    await using agent = await createAgent({ ...options, model: endless().model, limits });
    return await endOf(agent.run("Work."));
  };
  expect(await ended({ steps: 3 })).toMatchObject({ reason: "steps", steps: 3 });
  // A scripted step has one token in and one out.
  expect(await ended({ tokens: 8 })).toMatchObject({ reason: "tokens", steps: 4 });
  expect(await ended({ calls: 5 })).toMatchObject({ reason: "calls", steps: 5 });
});

test("calls beyond the limit are answered and not made", async () => {
  const work = stubTool("work");
  const { model } = scriptedModel([[call("1", "work"), call("2", "work"), call("3", "work")]]);
  await using agent = await createAgent({
    ...{ model, tools: [work.tool], policy: ["allow work"], limits: { calls: 2 }, strategy: "sequential" },
  });
  const events = await allOf(agent.run("Work."));
  expect(work.executed).toHaveLength(2);
  const results = events.flatMap((event) => (event.type === "result" ? [event.result] : []));
  expect(results.map(({ ok, failure }) => (ok ? "ok" : failure?.code))).toEqual([
    "ok",
    "ok",
    "budget_exceeded",
  ]);
  expect(events.at(-1)).toMatchObject({ reason: "calls" });
});

test("a result that is terminal ends the run, and a failure that the model can fix does not", async () => {
  const finish = stubTool("finish", () => toolOutput({ data: "sent", terminal: true }));
  const broken = stubTool("broken", () => toolOutput({ success: false, error: "The service is gone." }));
  const failing = stubTool("failing", () => {
    throw new Error("a crash");
  });
  const ended = async (name: string) => {
    const { model } = scriptedModel([[call("1", name)], "done"]);
    const tools = [finish.tool, broken.tool, failing.tool];
    await using agent = await createAgent({ model, tools, policy: ["allow *"] });
    return (await endOf(agent.run("Go."))).reason;
  };
  expect(await ended("finish")).toBe("terminal");
  expect(await ended("broken")).toBe("terminal");
  expect(await ended("failing")).toBe("done");
  expect(await ended("missing")).toBe("done");
});

test("cancel stops the call that runs, and the next run continues the conversation", async () => {
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const slow = stubTool("slow", (_args, { abortSignal: signal }) => {
    begin();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const { model, prompts } = scriptedModel([[call("1", "slow")], "As you like."]);
  await using agent = await createAgent({ model, tools: [slow.tool], policy: ["allow slow"] });
  const events = allOf(agent.run("Work."));
  await began;
  agent.cancel();
  expect((await events).at(-1)).toMatchObject({ reason: "cancelled", steps: 1 });
  expect(await endOf(agent.run("Never mind."))).toMatchObject({ reason: "done", text: "As you like." });
  expect(prompts[1]).toContain("Cancelled");
});

test("cancel stops a model that replies slowly; nothing of its reply is kept", async () => {
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const model = new MockLanguageModelV4({
    doStream: async ({ abortSignal }) => {
      begin();
      const stream = new ReadableStream({
        start: (controller) =>
          abortSignal?.addEventListener("abort", () => controller.error(abortSignal.reason)),
      });
      return { stream };
    },
  });
  const cancelled = new AbortController();
  await using agent = await createAgent({ model, signal: cancelled.signal });
  const events = allOf(agent.run("Hello?"));
  await began;
  cancelled.abort();
  expect((await events).map(({ type }) => type)).toEqual(["message", "step-start", "end"]);
  expect((await events).at(-1)).toMatchObject({ reason: "cancelled", steps: 0 });
});

test("a model that replies nothing at all fails the run in this process, and can be asked again", async () => {
  let isSilent = true;
  const { model: later } = scriptedModel(["Hello."]);
  const model = new MockLanguageModelV4({
    doStream: async (options) => {
      if (!isSilent) return (later as MockLanguageModelV4).doStream(options);
      isSilent = false;
      return { stream: convertArrayToReadableStream([]) };
    },
  });
  await using agent = await createAgent({ model });
  expect(await endOf(agent.run("Hello?"))).toMatchObject({ reason: "failed", error: expect.any(Error) });
  expect(await endOf(agent.resume())).toMatchObject({ reason: "done", text: "Hello." });
});

test("who stops reading cancels the run", async () => {
  const work = stubTool("work");
  const { model, prompts } = endless();
  await using agent = await createAgent({ model, tools: [work.tool], policy: ["allow work"] });
  for await (const event of agent.run("Work.")) if (event.type === "result") break;
  const asked = prompts.length;
  expect(asked).toBeLessThan(50);
  const ends: string[] = [];
  for await (const event of agent.session.journal.read({ types: ["run-end"] }))
    if (event.type === "run-end") ends.push(event.reason);
  expect(ends).toEqual(["cancelled"]);
  expect(prompts).toHaveLength(asked);
});

test("who stops at the last event has read the whole run", async () => {
  const { model } = scriptedModel([[call("1", "risky")], "Done."]);
  const risky = stubTool("risky");
  const options = { tools: [risky.tool], policy: ["ask risky"], approver: scriptedApprover("later") };
  await using agent = await createAgent({ ...options, model });
  for await (const event of agent.run("Go.")) if (event.type === "end") break;
  for (const { id } of await agent.session.waiting()) await agent.session.answer(id, { verdict: "once" });
  expect(await endOf(agent.resume())).toMatchObject({ reason: "done", text: "Done." });
});

test("one run at a time, and nothing begins before its events are read", async () => {
  const { model, prompts } = scriptedModel(["One.", "Two."]);
  await using agent = await createAgent({ model });
  const first = agent.run("1");
  const second = agent.run("2");
  expect(prompts).toHaveLength(0);
  await first.next();
  await expect(second.next()).rejects.toThrow("The agent is at work");
  expect(await endOf(first)).toMatchObject({ text: "One." });
  expect(await endOf(agent.run("2"))).toMatchObject({ text: "Two." });
});

test("options that do not exist are refused with a suggestion", async () => {
  const { model } = scriptedModel([]);
  const wrong = (options: object) => createAgent({ model, ...options } as never);
  await expect(wrong({ instructons: "x" })).rejects.toThrow('Did you mean "instructions"?');
  await expect(wrong({ limits: { step: 3 } })).rejects.toThrow("step");
  await expect(wrong({ limits: { steps: 0 } })).rejects.toThrow("at least 1");
  await expect(wrong({ steering: "none" })).rejects.toThrow('"one" or "all"');
  await expect(createAgent({} as never)).rejects.toThrow("needs a `model`");
});
