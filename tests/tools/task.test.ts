import type { ParentContext, Session, SessionOptions } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { createSessionWithPorts as createSession, fsRead, memoryJournal } from "@toolkeep/core/internal";
import type { TaskRunner } from "@toolkeep/core/ports";
import { collectEvents, scriptedApprover, stubTool, toolConformance } from "@toolkeep/core/testing";
import { describe, expect, test } from "vitest";
import { taskTool } from "../../packages/tools/src/session/task-tool.ts";
import { ALLOW, call, until } from "../scenario.ts";

const variables = { workspace: ["/ws"] };
const reader = () =>
  stubTool("reader", () => "read", {
    requires: { fs: { read: ["/**"] } },
    effects: (args) => [fsRead(String(args["path"]))],
  }).tool;

/** Runs a child session according to a script. */
function scriptedRunner(
  script: (
    child: Session,
    parentContext: ParentContext,
    options: Parameters<TaskRunner["run"]>[1],
  ) => Promise<string>,
  childOptions: SessionOptions = {},
) {
  const children = new Map<string, Session>();
  const keys: string[] = [];
  const work: Promise<string>[] = [];
  const runnerOf = (parent: () => Session): TaskRunner => ({
    async run({ agent }, options) {
      keys.push(options.key);
      const childId = `${parent().id}.${agent}.${children.size + 1}`;
      const parentContext = parent().childContext(agent);
      const child: Session = await createSession({
        id: childId,
        parent: parentContext,
        tools: [taskTool(), reader()],
        tasks: runnerOf(() => child),
        ...childOptions,
      });
      children.set(childId, child);
      const working = script(child, parentContext, options);
      if (!options.detached) return { status: "done", childId, text: await working };
      work.push(working);
      return { status: "started", childId };
    },
  });
  const root = async (options: SessionOptions = {}) => {
    const session: Session = await createSession({
      id: "root",
      tools: [taskTool(), reader()],
      variables,
      tasks: runnerOf(() => session),
      ...options,
    });
    return session;
  };
  return { children, keys, work, root };
}

test("a task is awaited, and the session of its child can be inspected", async () => {
  const { root, children, keys } = scriptedRunner(async (child) => {
    await child.call(call("reader", { path: "/ws/a" }, "inside"));
    return "It is done.";
  });
  const session = await root({ policy: ALLOW });
  const result = await session.call(
    call("task", { prompt: "Look.", description: "looking", subagent_type: "scout" }),
  );
  expect(result).toMatchObject({
    ok: true,
    childId: "root.scout.1",
    data: { output: "It is done.", session_id: "root.scout.1" },
    labels: ["untrusted"],
  });
  expect(modelText(result)).toBe("It is done.");
  expect(keys).toEqual([expect.stringContaining("root/")]);
  const seen = [];
  for await (const event of children.get(result.childId ?? "none")?.journal.read() ?? [])
    seen.push(event.type);
  expect(seen).toContain("call-end");
});

test("a task may run in the background: the call returns at once with the id of its session", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { root, work } = scriptedRunner(() => promise);
  const session = await root();
  const result = await session.call(call("task", { prompt: "Look.", background: true }));
  expect(result).toMatchObject({
    ok: true,
    childId: "root.general.1",
    data: { session_id: "root.general.1" },
  });
  resolve("late");
  expect(await Promise.all(work)).toEqual(["late"]);
});

describe("a child may do what the host, its parent and its own rules all allow, and no more", () => {
  const attempt = async (rootOptions: SessionOptions, childOptions: SessionOptions, path: string) => {
    const { root } = scriptedRunner(async (child) => {
      const { ok, failure } = await child.call(call("reader", { path }));
      return ok ? "read" : (failure?.code ?? "none");
    }, childOptions);
    const session = await root(rootOptions);
    return ((await session.call(call("task", { prompt: "Read." }))).data as { readonly output: string })
      .output;
  };
  const only = (pattern: string) => ({
    policy: {
      rules: [{ permission: "fs.read", pattern, action: "allow" }],
    } as const,
  });
  const ceiling = (pattern: string) => ({ ceiling: { fs: { read: [pattern] } } });

  test.each([
    [
      "all of them allow it",
      { ...only("/ws/**"), ...ceiling("/ws/**") },
      only("/ws/docs/*"),
      "/ws/docs/a",
      "read",
    ],
    [
      "its own rules do not allow it",
      { ...only("/ws/**"), ...ceiling("/ws/**") },
      only("/ws/docs/*"),
      "/ws/src/a",
      "denied",
    ],
    [
      "its parent's rules do not allow it",
      { ...only("/ws/docs/*"), ...ceiling("/ws/**") },
      only("/**"),
      "/ws/src/a",
      "denied",
    ],
    [
      "the ceiling of the host does not allow it",
      { ...only("/**"), ...ceiling("/ws/**") },
      only("/**"),
      "/etc/a",
      "out_of_scope",
    ],
  ])("%s", async (_, rootOptions, childOptions, path, outcome) => {
    expect(await attempt(rootOptions, childOptions, path)).toBe(outcome);
  });

  test("it asks the approver of its root session, with its path of agent names", async () => {
    const approver = scriptedApprover("reject");
    expect(await attempt({ approver }, {}, "/ws/a")).toBe("denied");
    expect(approver.requests).toMatchObject([{ toolName: "reader", agents: ["general"] }]);
  });
});

test("rules can name an agent: one is denied, another is not", async () => {
  const { root } = scriptedRunner(async () => "done");
  const session = await root({ policy: [{ permission: "task.rogue", action: "deny" }] });
  const started = async (subagent_type: string) =>
    (await session.call(call("task", { prompt: "Go.", subagent_type }))).failure?.code;
  expect(await started("rogue")).toBe("denied");
  expect(await started("scout")).toBeUndefined();
});

test("cancelling the parent cancels the child", async () => {
  const reached = Promise.withResolvers<unknown>();
  const { root, children } = scriptedRunner(async (child, _parentContext, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    child.cancel();
    reached.resolve(signal.reason);
    return "stopped";
  });
  const session = await root();
  const called = session.call(call("task", { prompt: "Wait." }));
  await until(() => children.size === 1);
  session.cancel();
  expect(await reached.promise).toBe("cancelled");
  expect((await called).failure?.code).toBe("cancelled");
});

test("the events of the child are updates of the parent's call, and none comes after its end", async () => {
  let late: (() => void) | undefined;
  const { root } = scriptedRunner(async (child, _parentContext, { update }) => {
    update({ childId: child.id, doing: "reading" });
    late = () => update({ doing: "too late" });
    return "done";
  });
  const session = await root();
  const { events } = await collectEvents(session, async () => {
    await session.call(call("task", { prompt: "Read." }));
    late?.();
  });
  const updates = events.filter((event) => event.type === "call-update");
  expect(updates).toMatchObject([{ tool: "task", partial: { childId: "root.general.1", doing: "reading" } }]);
});

test("without a task runner it fails with a message", async () => {
  const session = await createSession({ tools: [taskTool()], journal: memoryJournal() });
  expect((await session.call(call("task", { prompt: "Go." }))).failure).toMatchObject({
    code: "unavailable",
  });
});

test("[C46] it needs nothing of its own and satisfies the tool contract", async () => {
  expect(taskTool()).toMatchObject({ requires: {}, kind: "other" });
  const tasks: TaskRunner = { run: async () => ({ status: "done", childId: "c", text: "" }) };
  const refuses = [{}, { prompt: "" }, { prompt: "x", subagent_type: "../x" }, { prompt: "x", depth: 0 }];
  expect(await toolConformance(taskTool(), { tasks, examples: [{ prompt: "Go." }], refuses })).toEqual([]);
});
