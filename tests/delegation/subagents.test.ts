import { once } from "node:events";
import { type AgentDefinition, type AgentEvent, agentTool, createAgent } from "@toolkeep/ai";
import {
  type ApprovalRequest,
  type Gate,
  memoryStore,
  type PersonRequest,
  type Tool,
  ToolFailure,
} from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { until } from "../scenario.ts";
import { allOf, call, endOf, modelOf } from "./scripted-agents.ts";

const task = () => taskTool() as Tool;

function reader(execute: () => unknown = () => "read") {
  return stubTool("reader", execute, {
    requires: { fs: { read: ["/**"] } },
    effects: (args) => [fsRead(String(args["path"]))],
  });
}

const closed: Gate = {
  name: "closed",
  before: ({ toolName }) => (toolName === "reader" ? { skip: "Closed today." } : true),
};

const scout: AgentDefinition = {
  name: "scout",
  description: "Looks around.",
  instructions: "You are the scout.",
  tools: ["reader"],
};

const isScout = (system: string) => system.includes("You are the scout.");

/** A root that gives one task to the scout, and a scout that reads one file. */
function twoAgents(input: object = { prompt: "Look at /a.", subagent_type: "scout" }) {
  return modelOf(({ system, step }) => {
    if (isScout(system)) return step === 0 ? [call("in", "reader", { path: "/a" })] : "I saw it.";
    return step === 0 ? [call("out", "task", input)] : "All is well.";
  });
}

describe("a task with the real runner", () => {
  test("[C111] is awaited: the child has its own session, and only its last text comes back", async () => {
    await using store = memoryStore();
    const { model, asked } = twoAgents();
    const read = reader();
    const options = { id: "root", store, tools: [task(), read.tool], policy: ["allow fs.read /**"] };
    await using agent = await createAgent({ model, ...options, agents: [scout], instructions: "Root." });
    const events = await allOf(agent.run("Have it looked at."));
    expect(events.at(-1)).toMatchObject({ reason: "done", text: "All is well.", steps: 2 });
    expect(read.executed).toHaveLength(1);
    const result = events.find((event) => event.type === "result");
    expect(result?.result).toMatchObject({ ok: true, data: { output: "I saw it." }, labels: ["untrusted"] });
    const childId = result?.result.childId ?? "";
    expect(childId).toMatch(/^root\.[0-9a-f]{16}$/);
    // The parent sees nothing of what the child did, and the child nothing of the conversation.
    expect(asked.filter(({ system }) => isScout(system)).map(({ prompt }) => prompt)).toEqual([
      expect.not.stringContaining("Have it looked at."),
      expect.not.stringContaining("Have it looked at."),
    ]);
    expect(asked[0]?.system).toContain("- scout: Looks around.");
    expect(asked.find(({ system }) => isScout(system))?.system).toContain("You work for another agent.");
    const journal = await store.open(childId);
    const kinds = [];
    for await (const { type } of journal.read()) kinds.push(type);
    await journal.release();
    expect(kinds).toContain("call-end");
  });

  test("[C111] may recurse five deep and no deeper", async () => {
    const deeper = { name: "deeper", description: "Continues.", instructions: "You go deeper." };
    const { model, asked } = modelOf(({ step, prompt }) => {
      if (step === 0) return [call("down", "task", { prompt: "Deeper.", subagent_type: "deeper" })];
      return prompt.includes("nested 5 deep") ? "The end is reached." : "Back.";
    });
    await using agent = await createAgent({ model, tools: [task()], agents: [deeper] });
    expect(await endOf(agent.run("Go."))).toMatchObject({ reason: "done", text: "Back." });
    expect(asked.filter(({ step }) => step === 0)).toHaveLength(6);
    expect(asked.filter(({ prompt }) => prompt.includes("nested 5 deep"))).toHaveLength(1);
  });

  test("[C111] runs in the background, and the parent does not end before it has reported", async () => {
    const release = Promise.withResolvers<string>();
    const { model, asked } = modelOf(({ system, step, prompt }) => {
      if (isScout(system)) return release.promise;
      if (step === 0)
        return [call("out", "task", { prompt: "Look.", subagent_type: "scout", background: true })];
      return prompt.includes("A bear.") ? "There is a bear." : "I wait.";
    });
    await using agent = await createAgent({ model, tools: [task(), reader().tool], agents: [scout] });
    const running = allOf(agent.run("Look around."));
    await until(() => asked.some(({ system, step }) => !isScout(system) && step === 1));
    release.resolve("A bear.");
    const events = await running;
    expect(events.at(-1)).toMatchObject({ reason: "done", text: "There is a bear.", steps: 3 });
    const [report] = events.filter(({ type }) => type === "message").slice(1);
    expect(report).toMatchObject({
      text: expect.stringMatching(/^Background task \S+ of the agent scout is done\./),
    });
    expect(report).toMatchObject({ text: expect.stringContaining("[[output 1 of task]]\nA bear.\n[[end") });
  });

  test("fails for an agent that is not there, one that is primary, and one that has none of its tools", async () => {
    const boss = { ...scout, name: "boss", mode: "primary" } as const;
    const cook = { ...scout, name: "cook", tools: ["oven"] };
    const { model } = modelOf(({ step }) =>
      step === 0
        ? ["scoot", "boss", "cook"].map((name) => call(name, "task", { prompt: "Go.", subagent_type: name }))
        : "done",
    );
    await using agent = await createAgent({
      model,
      tools: [task(), reader().tool],
      agents: [scout, boss, cook],
    });
    const events = await allOf(agent.run("Go."));
    const failures = events.flatMap((event) =>
      event.type === "result"
        ? [[event.result.callId, event.result.failure?.code, event.result.failure?.hint]]
        : [],
    );
    expect(failures.toSorted()).toEqual([
      ["boss", "not_found", expect.stringContaining("general, scout, cook")],
      ["cook", "unavailable", undefined],
      ["scoot", "not_found", "Did you mean scout?"],
    ]);
  });
});

describe("a child never has more than its parent", () => {
  test("neither tools: it has those of its list that its parent has, and no agent tool", async () => {
    const helper = agentTool({ name: "helper", description: "Helps.", instructions: "You help." });
    const seen: string[][] = [];
    const { model, options } = twoAgents();
    const all = { ...scout, tools: ["reader", "oven", "helper"] };
    await using agent = await createAgent({
      ...{ model, tools: [task(), reader().tool, helper, stubTool("saw").tool], agents: [all] },
      policy: ["allow fs.read /**"],
    });
    await endOf(agent.run("Go."));
    for (const one of options as { tools?: { name: string }[] }[])
      seen.push((one.tools ?? []).map(({ name }) => name));
    expect(seen.map((names) => names.toSorted().join(" "))).toEqual([
      "helper reader saw task",
      "reader",
      "reader",
      "helper reader saw task",
    ]);
  });

  test("nor steps, tokens or calls: what it uses is taken from its parent's limits", async () => {
    const { model } = modelOf(({ system, step }) => {
      if (isScout(system)) return [call(`in${step}`, "reader", { path: "/a" })];
      return step === 0 ? [call("out", "task", { prompt: "Look.", subagent_type: "scout" })] : "done";
    });
    const read = reader();
    await using agent = await createAgent({
      ...{ model, tools: [task(), read.tool], agents: [scout], policy: ["allow fs.read /**"] },
      limits: { steps: 4 },
    });
    const events = await allOf(agent.run("Go."));
    expect(events.at(-1)).toMatchObject({ reason: "steps" });
    expect(read.executed).toHaveLength(3);
    const result = events.find((event) => event.type === "result");
    expect(result?.result.data).toMatchObject({
      output: expect.stringContaining("limit of steps is reached"),
    });
  });

  test("nor a longer time for a call, however much its definition says", async () => {
    const slow = stubTool("slow", (_args, { abortSignal }) => once(abortSignal, "abort"));
    const { model } = modelOf(({ system, step }) => {
      if (isScout(system)) return step === 0 ? [call("in", "slow")] : "Too slow.";
      return step === 0 ? [call("out", "task", { prompt: "Look.", subagent_type: "scout" })] : "done";
    });
    await using agent = await createAgent({
      ...{ model, tools: [task(), slow.tool], policy: ["allow slow"] },
      agents: [{ ...scout, tools: ["slow"], limits: { timeoutMs: 600_000, steps: 5 } }],
      limits: { timeoutMs: 300 },
    });
    const events = await allOf(agent.run("Go."));
    const inner = events.flatMap((event) => (event.type === "call-update" ? [JSON.stringify(event)] : []));
    expect(inner.join()).toContain('"timed_out"');
  });

  test("nor more attempts than its parent has, also by default", async () => {
    const asked: unknown[] = [];
    const flaky = stubTool("flaky", () => {
      asked.push("tried");
      throw new ToolFailure("unavailable", "Not now.", { transient: true });
    });
    const { model } = modelOf(({ system, step }) => {
      if (isScout(system)) return step === 0 ? [call("in", "flaky")] : "Not there.";
      return step === 0 ? [call("out", "task", { prompt: "Look.", subagent_type: "scout" })] : "done";
    });
    await using agent = await createAgent({
      ...{ model, tools: [task(), flaky.tool], policy: ["allow flaky"] },
      agents: [{ ...scout, tools: ["flaky"], limits: { retry: { attempts: 9, unitMs: 1 } } }],
      limits: { retry: { unitMs: 1 } },
    });
    await endOf(agent.run("Go."));
    expect(asked).toHaveLength(3);
  });

  test("nor a way around the gates of its parent", async () => {
    const { model } = twoAgents();
    const read = reader();
    await using agent = await createAgent({
      ...{ model, tools: [task(), read.tool], agents: [scout], policy: ["allow fs.read /**"] },
      gates: [closed],
    });
    await endOf(agent.run("Go."));
    expect(read.executed).toEqual([]);
  });

  test("an ask reaches the approver of the root and says which agent asks", async () => {
    const { model } = twoAgents();
    const read = reader();
    const approver = scriptedApprover("once");
    await using agent = await createAgent({
      ...{ model, tools: [task(), read.tool], agents: [scout], policy: ["ask fs.read /**"], approver },
    });
    await endOf(agent.run("Go."));
    expect(read.executed).toHaveLength(1);
    const [request] = approver.requests as ApprovalRequest[];
    expect(request).toMatchObject({ agents: ["scout"], toolName: "reader" });
    expect(request?.lines.join("\n")).toContain("scout");
  });

  test("so does a question", async () => {
    const { model } = twoAgents();
    const read = stubTool("reader", async (_args, ctx) => {
      const [[answer] = []] = await ctx.ask([{ question: "Which file?" }]);
      return `read ${answer}`;
    });
    const asked: PersonRequest[] = [];
    await using agent = await createAgent({
      ...{ model, tools: [task(), read.tool], agents: [scout], policy: ["allow *"] },
      approver: {
        ...scriptedApprover("once"),
        async answer(request) {
          asked.push(request);
          return [["/a"]];
        },
      },
    });
    await endOf(agent.run("Go."));
    expect(asked).toMatchObject([{ agents: ["scout"], toolName: "reader" }]);
  });

  test("a child without an approver that asks is refused at once, and the work continues", async () => {
    const { model, asked } = twoAgents();
    const read = reader();
    await using agent = await createAgent({
      ...{ model, tools: [task(), read.tool], agents: [scout], policy: ["ask fs.read /**"] },
    });
    const events = await allOf(agent.run("Go."));
    expect(read.executed).toEqual([]);
    expect(events.at(-1)).toMatchObject({ reason: "done", text: "All is well." });
    const said = asked.filter(({ system }) => isScout(system)).map(({ prompt }) => prompt);
    expect(said).toEqual([expect.anything(), expect.stringContaining("no approver is configured")]);
  });
});

describe("an agent tool", () => {
  test("[C112][C113] has its own prompt, model, provider, tools and thinking, and returns the last text of its agent", async () => {
    const child = modelOf(({ step }) => (step === 0 ? [call("in", "reader", { path: "/a" })] : "Found it."));
    const names: string[] = [];
    const read = reader();
    const research = agentTool({
      ...{ name: "research", description: "Finds out.", instructions: "You find out.", tools: [read.tool] },
      ...{ model: "small", thinking: "low" },
      provider: {
        languageModel(name) {
          names.push(name);
          return child.model;
        },
      },
    });
    const { model } = modelOf(({ step }) =>
      step === 0 ? [call("out", "research", { task: "Where?" })] : "Thanks.",
    );
    await using agent = await createAgent({ model, tools: [research], policy: ["allow fs.read /**"] });
    const events = await allOf(agent.run("Find it."));
    expect(events.at(-1)).toMatchObject({ reason: "done", text: "Thanks." });
    expect(events.find((event) => event.type === "result")?.result).toMatchObject({
      data: { output: "Found it." },
    });
    expect(read.executed).toEqual([{ path: "/a" }]);
    expect(names[0]).toBe("small");
    expect(child.asked[0]).toMatchObject({ system: expect.stringContaining("You find out."), step: 0 });
    expect(child.options[0]).toMatchObject({ reasoning: "low" });
    // Its events are updates of the call.
    const updates = events.flatMap((event) => (event.type === "call-update" ? [event.update] : []));
    expect(updates.map((update) => (update as { event: AgentEvent }).event.type)).toEqual(
      expect.arrayContaining(["call-start", "result", "step-end"]),
    );
    expect(updates[0]).toMatchObject({ agent: "research", childId: expect.any(String) });
  });

  test("[C113] cannot have another one, and its agent cannot do what its parent may not", async () => {
    const read = reader();
    const inner = agentTool({ name: "inner", description: "x", instructions: "x", tools: [read.tool] });
    expect(() => agentTool({ name: "outer", description: "x", instructions: "x", tools: [inner] })).toThrow(
      /cannot have the agent tool inner/,
    );
    expect(() => agentTool({ name: "a", descripton: "x", instructions: "x" } as never)).toThrow(
      /Did you mean/,
    );
    const { model } = modelOf(({ system, step }) => {
      if (system.startsWith("x")) return step === 0 ? [call("in", "reader", { path: "/a" })] : "no";
      return step === 0 ? [call("out", "inner", { task: "Go." })] : "done";
    });
    await using agent = await createAgent({ model, tools: [inner], policy: ["deny fs.read /**"] });
    await endOf(agent.run("Go."));
    expect(read.executed).toEqual([]);
  });

  test("[C113] stops with its parent", async () => {
    const started = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const slow = stubTool("slow", (_args, { abortSignal }) => {
      started.resolve();
      return new Promise((resolve) =>
        abortSignal.addEventListener("abort", () => resolve(stopped.resolve())),
      );
    });
    const inner = agentTool({ name: "inner", description: "x", instructions: "x", tools: [slow.tool] });
    const { model } = modelOf(({ system }) =>
      system.startsWith("x") ? [call("in", "slow")] : [call("out", "inner", { task: "Go." })],
    );
    await using agent = await createAgent({ model, tools: [inner], policy: ["allow slow"] });
    const running = endOf(agent.run("Go."));
    await started.promise;
    agent.cancel();
    await stopped.promise;
    expect(await running).toMatchObject({ reason: "cancelled" });
  });
});

test("a task in the background stops with its parent", async () => {
  const started = Promise.withResolvers<void>();
  let isStopped = false;
  const { model } = modelOf(({ system, step }, signal) => {
    if (!isScout(system))
      return step === 0
        ? [call("out", "task", { prompt: "x", subagent_type: "scout", background: true })]
        : "I wait.";
    started.resolve();
    return new Promise((_resolve, reject) =>
      signal?.addEventListener("abort", () => {
        isStopped = true;
        reject(signal.reason);
      }),
    );
  });
  await using agent = await createAgent({ model, tools: [task(), reader().tool], agents: [scout] });
  const running = endOf(agent.run("Go."));
  await started.promise;
  agent.cancel();
  expect(await running).toMatchObject({ reason: "cancelled" });
  await until(() => isStopped);
});

test("agents need the tool `task`, names that differ, and no runner besides", async () => {
  const { model } = modelOf(() => "x");
  await expect(createAgent({ model, agents: [scout] })).rejects.toThrow(/needs the tool `task`/);
  const tools = [task()];
  await expect(createAgent({ model, tools, agents: [scout, scout] })).rejects.toThrow(/Two agents/);
  await expect(createAgent({ model, tools, agents: [{ ...scout, tols: [] } as never] })).rejects.toThrow(
    /"tools"/,
  );
  const tasks = { run: async () => ({ status: "started", childId: "x" }) as const };
  await expect(createAgent({ model, tools, agents: [], tasks })).rejects.toThrow(/`tasks` cannot/);
});
