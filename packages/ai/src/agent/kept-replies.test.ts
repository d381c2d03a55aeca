import { memoryStore, type SessionStore } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { scriptedModel } from "../ai-sdk/scripted-model.test.kit.ts";
import { createAgent } from "./create-agent.ts";
import { allOf, call, endOf } from "./scripted-agent.test.kit.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;

/** Another process takes the session over, as it does after a crash. */
async function crash(store: SessionStore, id: string): Promise<void> {
  const journal = await store.open(id, { steal: true });
  await journal.release();
}

async function journalText(store: SessionStore, id: string): Promise<string> {
  const journal = await store.open(id, { steal: true });
  const lines: string[] = [];
  for await (const event of journal.read()) lines.push(JSON.stringify(event));
  await journal.release();
  return lines.join("\n");
}

test("a reply is kept raw while its run is unfinished, and recorded without secrets", async () => {
  await using store = memoryStore();
  const risky = stubTool("risky", () => `saw ${SECRET}`);
  const options = { id: "a", store, tools: [risky.tool], policy: ["ask risky"] };
  const { model } = scriptedModel([[call("1", "risky", { token: SECRET })]]);
  const agent = await createAgent({ ...options, model, approver: scriptedApprover("later") });
  await endOf(agent.run(`The token is ${SECRET}.`));
  expect(await store.pending.get("a/run-1/m1")).toContain(SECRET);
  expect(await store.pending.get("a/run-1/u0")).toContain(SECRET);
  await agent.leave();
  expect(await journalText(store, "a")).not.toContain(SECRET);

  for (const { request } of await store.waiting()) await store.answer(request, { verdict: "once" });
  const second = scriptedModel(["Done."]);
  const later = await createAgent({ ...options, model: second.model });
  await endOf(later.resume());
  expect(second.prompts[0]).toContain(`The token is ${SECRET}.`);
  expect(risky.executed).toEqual([{ token: SECRET }]);
  expect(await store.pending.get("a/run-1/m1")).toBeUndefined();
  expect(await store.pending.get("a/run-1/u0")).toBeUndefined();

  // The next run has the conversation without secrets.
  await later.leave();
  const third = scriptedModel(["Yes."]);
  await using last = await createAgent({ ...options, model: third.model });
  expect(await store.pending.get("a/run-2/u0")).toBeUndefined();
  await endOf(last.run("Was it done?"));
  expect(third.prompts[0]).toContain("risky");
  expect(third.prompts[0]).not.toContain(SECRET);
});

test("a run that was interrupted anywhere continues without a kept reply being asked for, or a step that ended told, again", async () => {
  const script = [[call("1", "work", { n: 1 })], [call("2", "work", { n: 2 })], "All done."] as const;
  // The run is interrupted when it reports its n-th event.
  for (let interrupted = 1; interrupted < 12; interrupted += 1) {
    await using store = memoryStore();
    const work = stubTool("work", ({ n }) => `did ${String(n)}`);
    const options = { id: "a", store, tools: [work.tool], policy: ["allow work"] };
    const first = scriptedModel(script);
    const agent = await createAgent({ ...options, model: first.model });
    const seen: string[] = [];
    let [isOver, begun] = [false, 0];
    const replies = () => seen.filter((type) => type === "step-end").length;
    for await (const event of agent.run("Work.")) {
      seen.push(event.type);
      isOver = event.type === "end";
      if (event.type === "step-start") begun = event.step;
      if (seen.length !== interrupted) continue;
      await crash(store, "a");
      break;
    }
    if (isOver) break;
    const second = scriptedModel(script.slice(replies()));
    await using later = await createAgent({ ...options, model: second.model });
    const resumed = await allOf(later.resume());
    expect(resumed.at(-1), `interrupted after ${seen.join(", ")}`).toMatchObject({
      ...{ reason: "done", text: "All done.", steps: 3 },
      usage: { inputTokens: 3, outputTokens: 3 },
    });
    // A step begins after the one before it ended: nothing of that one comes again.
    expect(resumed.filter((event) => "step" in event && event.step < begun)).toEqual([]);
    expect(second.prompts).toHaveLength(3 - replies());
    expect(second.prompts.at(-1) ?? "did 1 did 2").toMatch(/did 1.*did 2/s);
  }
});

test("the end of a run that is over is given again", async () => {
  await using store = memoryStore();
  const { model } = scriptedModel(["Hello."]);
  await using agent = await createAgent({ id: "a", store, model });
  await expect(endOf(agent.resume())).rejects.toThrow("There is no run to continue");
  await endOf(agent.run("Hi."));
  expect(await allOf(agent.resume())).toMatchObject([{ type: "end", reason: "done", text: "Hello." }]);
});

test("an agent leaves while a person is asked, and the request stays open", async () => {
  await using store = memoryStore();
  const { model } = scriptedModel([[call("1", "risky")]]);
  const risky = stubTool("risky");
  const asked = Promise.withResolvers<void>();
  let isWithdrawn = false;
  const approver = async (_request: unknown, signal: AbortSignal) => {
    signal.addEventListener("abort", () => {
      isWithdrawn = true;
    });
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const options = { id: "a", store, tools: [risky.tool], policy: ["ask risky"] };
  const agent = await createAgent({ ...options, model, approver });
  const events = allOf(agent.run("Do it."));
  await asked.promise;
  await agent.leave();
  expect((await events).at(-1)).toMatchObject({ reason: "waiting", requests: [{ toolName: "risky" }] });
  expect(isWithdrawn).toBe(true);
  expect(await store.unfinished(10)).toEqual([]);
  const [waiting] = await store.waiting();
  if (waiting === undefined) throw new TypeError("Nothing waits.");
  await store.answer(waiting.request, { verdict: "reject", message: "Not today." });
  expect((await store.unfinished(10)).map(({ turn }) => turn)).toContain("run-1");
  const second = scriptedModel(["All right."]);
  await using later = await createAgent({ ...options, model: second.model });
  expect(await endOf(later.resume())).toMatchObject({ reason: "done" });
  expect(second.prompts[0]).toContain("Not today.");
  expect(risky.executed).toEqual([]);
});

test("a run that waits can be cancelled, and its calls are settled", async () => {
  const { model } = scriptedModel([[call("1", "risky")], "Fine."]);
  const risky = stubTool("risky");
  await using agent = await createAgent({
    ...{ model, tools: [risky.tool], policy: ["ask risky"], approver: scriptedApprover("later") },
  });
  await endOf(agent.run("Do it."));
  await expect(endOf(agent.run("Something else."))).rejects.toThrow("not finished");
  agent.cancel();
  expect(await endOf(agent.resume())).toMatchObject({ reason: "cancelled" });
  expect(await endOf(agent.run("Something else."))).toMatchObject({ reason: "done" });
  expect(risky.executed).toEqual([]);
});

test("the run of an agent cannot be resumed as a turn of calls", async () => {
  const { model } = scriptedModel([[call("1", "risky")]]);
  const risky = stubTool("risky");
  await using agent = await createAgent({
    ...{ model, tools: [risky.tool], policy: ["ask risky"], approver: scriptedApprover("later") },
  });
  await endOf(agent.run("Do it."));
  await expect(agent.session.resume("run-1")).rejects.toThrow("agent.resume()");
});

test("a message that was taken is not lost when the agent leaves before the next step", async () => {
  await using store = memoryStore();
  const { model } = scriptedModel([[call("1", "work")], "Too early."]);
  const left = Promise.withResolvers<void>();
  const work = stubTool("work", () => {
    agent.steer("Use tabs.");
    left.resolve(agent.leave());
    return "done";
  });
  const options = { id: "a", store, tools: [work.tool], policy: ["allow work"] };
  const agent = await createAgent({ ...options, model });
  expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "left", steps: 1 });
  await left.promise;
  const second = scriptedModel(["With tabs."]);
  await using later = await createAgent({ ...options, model: second.model });
  expect(await endOf(later.resume())).toMatchObject({ reason: "done", text: "With tabs.", steps: 2 });
  expect(second.prompts[0]).toContain("Use tabs.");
});
