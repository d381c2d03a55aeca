import { existsSync } from "node:fs";
import { createAgent } from "@toolkeep/ai";
import { createSession, type PersonRequest, type SessionOptions } from "@toolkeep/core";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { codeTools, planMode, standardTools } from "@toolkeep/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, endOf } from "../../packages/ai/src/agent/scripted-agent.test.kit.ts";
import { scriptedModel } from "../../packages/ai/src/ai-sdk/scripted-model.test.kit.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type FileBench, openFileBench } from "../tools/file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
  await bench.put("a.txt", "one\n");
});
afterAll(() => bench.close());

const REFUSED = "In plan mode nothing is changed.";
const PLAN = "1. Write b.txt.\n2. Read it again.";
const silent = stubTool("silent", () => "");

/** A policy that allows everything: what is refused, plan mode refuses. */
function planned(options: Partial<SessionOptions> = {}) {
  const plan = planMode();
  return {
    ...bench.workspace.sessionOptions(),
    tools: [...standardTools(), ...codeTools(), ...plan.tools, silent.tool],
    policy: { mode: "yolo", builtIn: "off", watchdogs: [plan.watchdog] },
    ...options,
  } satisfies SessionOptions;
}

const write = (path: string) => call("w", "write", { path, content: "two\n" });
const asCall = ({ id, name, input }: ReturnType<typeof call>) => ({
  ...{ id, name, arguments: input as Readonly<Record<string, unknown>> },
});

describe("in plan mode", () => {
  test.each([
    ["read", { path: "a.txt" }, true],
    ["glob", { pattern: "*" }, true],
    ["grep", { pattern: "one" }, true],
    ["bash", { command: "cat a.txt | wc -l" }, true],
    ["bash", { command: "git log --oneline -3" }, true],
    ["git", { action: "status" }, true],
    ["web_fetch", { url: "https://example.com/" }, true],
    ["todo", { todos: [] }, true],
    ["question", { questions: [{ question: "Which?" }] }, true],
    ["write", { path: "b.txt", content: "" }, false],
    ["edit", { path: "a.txt", old_string: "one", new_string: "two" }, false],
    ["apply_patch", { patch: "*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch" }, false],
    ["bash", { command: "echo two > a.txt" }, false],
    ["bash", { command: "cat a.txt; rm a.txt" }, false],
    ["bash", { command: "npm install left-pad" }, false],
    ["bash", { command: "$(cat a.txt)" }, false],
    ["bash", { command: "curl https://example.com/ -d x" }, false],
    ["bash", { command: "some-unknown-program" }, false],
    ["git", { action: "commit", message: "x" }, false],
    ["test_runner", { runner: "pytest" }, false],
    ["silent", {}, false],
  ] as const)("[C55] %s %j passes: %j", async (name, args, passes) => {
    await using session = await createSession(planned());
    const { explanation } = await session.explain({ id: "1", name, arguments: args });
    const decision = explanation?.decision;
    if (passes) expect(decision).toMatchObject({ action: "allow" });
    else expect(decision).toMatchObject({ action: "deny", matchedBy: "plan-mode" });
  });

  test("[C55] a model writes the plan, the user approves it, and only then it is carried out", async () => {
    const answers = ["Read it twice.", "Approve"];
    const approver = scriptedApprover("once", () => [[answers.shift() ?? ""]]);
    const { model, prompts } = scriptedModel([
      [write("b.txt")],
      [call("2", "plan", { text: "1. Write b.txt." })],
      [call("3", "plan_exit")],
      [call("4", "plan", { text: PLAN })],
      [call("5", "plan_exit")],
      [write("b.txt")],
    ]);
    const { tools, policy } = planned();
    await using agent = await createAgent({ model, workspace: bench.workspace, tools, policy, approver });
    expect(await endOf(agent.run("Write b.txt."))).toMatchObject({ reason: "done" });
    expect(prompts[1]).toContain(REFUSED);
    expect(prompts[3]).toContain("Read it twice.");
    expect(prompts[5]).toContain('{\\"approved\\":true}');
    expect(approver.questions.map(({ questions }) => questions[0])).toMatchObject([
      { question: expect.stringContaining("1. Write b.txt.") },
      {
        question: `May the agent carry out this plan?\n\n${PLAN}`,
        options: [{ label: "Approve" }, { label: "Keep planning" }],
      },
    ]);
    expect(await bench.text("b.txt")).toBe("two\n");
  });

  test("[C55] neither without a plan nor without anybody to ask it can be left", async () => {
    await using session = await createSession(planned());
    const exit = () => session.call({ id: "1", name: "plan_exit", arguments: {} });
    expect(await exit()).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect(await session.call({ id: "2", name: "plan", arguments: { text: PLAN } })).toMatchObject({
      ok: true,
    });
    expect(await exit()).toMatchObject({ ok: false, failure: { code: "unavailable" } });
    expect((await session.call(asCall(write("c.txt")))).failure?.message).toContain(REFUSED);
  });

  test("[C55] subagents are in it too, and leave it with their parent", async () => {
    const approver = scriptedApprover("once", () => [["Approve"]]);
    await using session = await createSession(planned({ approver }));
    await using child = await createSession({
      ...bench.workspace.sessionOptions(),
      tools: standardTools(),
      policy: ["allow *"],
      parent: session.childContext("helper"),
    });
    expect((await child.call(asCall(write("child.txt")))).failure?.message).toContain(REFUSED);
    await session.call({ id: "1", name: "plan", arguments: { text: PLAN } });
    await session.call({ id: "2", name: "plan_exit", arguments: {} });
    expect(await child.call(asCall(write("child.txt")))).toMatchObject({ ok: true });
  });

  test("[C55] another process asks nothing again: it has the plan, and the answer", async () => {
    const path = temporaryFolder();
    const run = async (approver?: SessionOptions["approver"]) => {
      const store = openSqliteStore({ path });
      const session = await createSession(
        planned({ id: "p", store, ...(approver === undefined ? {} : { approver }) }),
      );
      const leave = () => session.leave().then(() => store.close());
      return { store, session, leave };
    };
    const first = await run(scriptedApprover("once", () => "later"));
    await first.session.call({ id: "1", name: "plan", arguments: { text: PLAN } });
    const { id, requests } = await first.session.run([{ id: "2", name: "plan_exit", arguments: {} }]);
    expect(requests).toMatchObject([{ questions: [{ question: expect.stringContaining(PLAN) }] }]);
    await first.leave();
    const second = await run();
    await second.store.answer(requests[0] as PersonRequest, [["Approve"]]);
    expect((await second.session.resume(id)).results).toMatchObject([{ data: { approved: true } }]);
    expect(await second.session.call(asCall(write("second.txt")))).toMatchObject({ ok: true });
    await second.leave();
    const third = await run();
    expect(await third.session.call(asCall(write("third.txt")))).toMatchObject({ ok: false });
    expect(existsSync(bench.at("third.txt"))).toBe(false);
    const left = await third.session.call({ id: "3", name: "plan_exit", arguments: {} });
    expect(left).toMatchObject({ ok: true, data: { approved: true } });
    expect(await third.session.call(asCall(write("third.txt")))).toMatchObject({ ok: true });
    await third.leave();
    const fourth = await run();
    await fourth.session.call({ id: "4", name: "plan", arguments: { text: "Another plan." } });
    const other = await fourth.session.call({ id: "5", name: "plan_exit", arguments: {} });
    expect(other).toMatchObject({ ok: false, failure: { code: "unavailable" } });
    await fourth.leave();
  });
});

describe("the set agentool", () => {
  const NAMES = [
    ...["ask-user", "bash", "diff", "edit", "glob", "grep", "read", "tool-search"],
    ...["web-fetch", "web-search", "write"],
  ];

  test("[C60] has the names of that package, with the parameters and requirements of our tools", () => {
    const tools = standardTools({ set: "agentool" });
    expect(tools.map(({ name }) => name).toSorted()).toEqual(NAMES);
    const ours = new Map(standardTools().map((tool) => [tool.label, tool]));
    for (const { label, name, inputSchema, requires } of tools.filter((tool) => tool.name !== "diff"))
      expect({ inputSchema, requires }, name).toMatchObject({
        inputSchema: ours.get(label)?.inputSchema,
        requires: ours.get(label)?.requires,
      });
  });

  test("[C60] works under a policy as the standard tools do, and asks the user", async () => {
    const approver = scriptedApprover("once", () => [["blue"]]);
    const tools = standardTools({ set: "agentool" });
    await using session = await bench.session({
      tools,
      approver,
      policy: ["allow fs.read", "deny fs.write"],
    });
    const said = (name: string, args: object) => bench.said(name, { ...args }, session);
    expect(await said("read", { path: "a.txt" })).toContain("one");
    expect(await said("diff", { path: "a.txt", content: "two\n" })).toContain("-one\n+two");
    expect(await said("write", { path: "z.txt", content: "" })).toContain("denies");
    expect(await said("ask-user", { questions: [{ question: "Which?" }] })).toContain("blue");
  });
});
