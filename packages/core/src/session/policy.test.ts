import { describe, expect, test } from "vitest";
import { ALLOW, call } from "../../../../tests/scenario.ts";
import { HEADLESS_DENIAL } from "../contract/approval/approval.ts";
import { fsRead, netFetch } from "../contract/call/effect.ts";
import type { Watchdog } from "../contract/policy/decision.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { explainText } from "../policy/rules/explanation.ts";
import { dangerousActions } from "../policy/watchdogs/dangerous-actions.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const variables = { workspace: ["/ws"] };
const reader = (execute: (args: Record<string, unknown>) => unknown = () => "read") =>
  stubTool("reader", execute as never, {
    requires: { fs: { read: ["{workspace}/**"] } },
    effects: (args) => [fsRead(String(args["path"]))],
  });
const read = (path: string, id = "c1") => call("reader", { path }, id);

/** A watchdog that writes down what it looked at. */
function watching(action: "allow" | "deny" = "allow") {
  const seen: string[] = [];
  const dog: Watchdog = {
    name: "rex",
    evaluate(evaluated) {
      seen.push(evaluated.found.name);
      return action === "allow" ? { action } : { action, reason: "rex barks." };
    },
  };
  return { seen, dog };
}

describe("three checks, in order, each on its own", () => {
  const granted: string[] = [];
  const grantIo = (...given: Parameters<ReturnType<typeof fakeIo>["grantIo"]>) => {
    granted.push("io");
    return fakeIo().grantIo(...given);
  };
  const open = (dog: Watchdog, more = {}) =>
    createSession({
      tools: [
        stubTool("reader", async (args, ctx) => void (await ctx.io.files.read(String(args["path"]))), {
          requires: { fs: { read: ["{workspace}/**"] } },
          effects: (args) => [fsRead(String(args["path"]))],
        }).tool,
      ],
      variables,
      policy: { rules: ALLOW, watchdogs: [dog] },
      grantIo,
      ...more,
    });

  test("[C71][C72] what is outside the capabilities meets no watchdog, and what a watchdog denies gets no I/O", async () => {
    const { seen, dog } = watching();
    expect((await (await open(dog)).call(read("/etc/passwd"))).failure?.code).toBe("out_of_scope");
    expect([seen, granted]).toEqual([[], []]);
    const strict = watching("deny");
    expect((await (await open(strict.dog)).call(read("/ws/a"))).failure?.code).toBe("denied");
    expect([strict.seen, granted]).toEqual([["reader"], []]);
    await (await open(dog)).call(read("/ws/a"));
    expect([seen, granted]).toEqual([["reader"], ["io"]]);
  });

  test("[C71][C72] one of them can be tightened while the others stay as they are", async () => {
    const { dog } = watching();
    const tight = await open(dog, { ceiling: { fs: { read: ["/ws/docs/**"] } } });
    expect((await tight.call(read("/ws/a"))).failure?.code).toBe("out_of_scope");
    expect((await (await open(dog)).call(read("/ws/a"))).failure?.code).not.toBe("out_of_scope");
  });
});

test("[C76] without an approver, what asks is denied with a fixed message", async () => {
  const stub = reader();
  const session = await createSession({ tools: [stub.tool], variables });
  const { failure } = await session.call(read("/ws/a"));
  expect(failure).toMatchObject({
    code: "denied",
    message: `${HEADLESS_DENIAL} It asked because: No policy rule allows \`fs.read /ws/a\`.`,
  });
  const dismissed = await createSession({
    tools: [stub.tool],
    variables,
    approver: async () => undefined as never,
  });
  expect((await dismissed.call(read("/ws/a"))).failure?.code).toBe("denied");
  expect(stub.executed).toEqual([]);
});

test("[C80] a question at initialisation goes through the one approver as well", async () => {
  const tool = stubTool("login", () => "in", {}).tool;
  const asking = {
    ...tool,
    init: async (_config: unknown, ctx: { ask(q: object[]): Promise<unknown> }) =>
      void (await ctx.ask([{ question: "Which account?" }])),
  };
  const journal = memoryJournal();
  const approver = scriptedApprover("once", () => [["work"]]);
  const session = await createSession({ tools: [asking as never], approver, journal });
  expect(approver.questions).toMatchObject([
    { toolName: "login", questions: [{ question: "Which account?" }] },
  ]);
  expect(session.tools().map(({ name }) => name)).toEqual(["login"]);
  const types: string[] = [];
  for await (const { type } of journal.read()) types.push(type);
  expect(types).toEqual(["question-request", "question-answer", "session-open"]);
  const headless = await createSession({ tools: [asking as never] });
  expect(headless.tools()).toEqual([]);
  expect(headless.diagnostics).toMatchObject([{ code: "init_failed", subject: "login" }]);
});

test("[C81] the callback is told the tool and its parameters, and its no is a no", async () => {
  const told: unknown[] = [];
  const manager = stubTool("file_manager", () => "gone", { actionArgument: "action" });
  const session = await createSession({
    tools: [manager.tool],
    policy: { rules: ALLOW, watchdogs: [dangerousActions()] },
    approver: async ({ toolName, arguments: parameters }) => {
      told.push([toolName, parameters]);
      return { verdict: (parameters as { path: string }).path === "/ws/old" ? "once" : "reject" };
    },
  });
  const remove = (path: string, id: string) => call("file_manager", { action: "delete", path }, id);
  expect((await session.call(remove("/ws/old", "1"))).ok).toBe(true);
  expect((await session.call(remove("/ws/new", "2"))).failure?.code).toBe("denied");
  expect((await session.call(call("file_manager", { action: "read" }, "3"))).ok).toBe(true);
  expect(told).toEqual([
    ["file_manager", { action: "delete", path: "/ws/old" }],
    ["file_manager", { action: "delete", path: "/ws/new" }],
  ]);
});

test("[C66] adding a tool extends what the agent may need by itself; the ceiling cuts it", async () => {
  const fetcher = stubTool("fetcher", () => "page", {
    requires: { net: { hosts: ["docs.example"] } },
    effects: () => [netFetch("docs.example")],
  }).tool;
  const manifest = { requires: { fs: { read: ["{workspace}/**"] } } };
  const before = await createSession({ manifest, variables });
  expect(before.requirements().net?.hosts).toEqual([]);
  const after = await createSession({ manifest, variables, tools: [fetcher], policy: ALLOW });
  expect(after.requirements()).toMatchObject({
    fs: { read: ["{workspace}/**"] },
    net: { hosts: ["docs.example"] },
  });
  expect((await after.call(call("fetcher"))).ok).toBe(true);
  const cut = await createSession({
    manifest,
    variables,
    tools: [fetcher],
    policy: ALLOW,
    ceiling: manifest.requires,
  });
  expect((await cut.call(call("fetcher"))).failure?.code).toBe("out_of_scope");
});

test("a deny of the manifest is final, whatever the session's own policy says", async () => {
  const manifest = {
    rules: [{ permission: "fs.read", pattern: "**/.secret", action: "deny", scope: "session" }],
  } as const;
  const session = await createSession({
    tools: [reader().tool],
    variables,
    manifest,
    policy: {
      mode: "yolo",
      rules: [{ permission: "fs.read", pattern: "/ws/.secret", action: "allow", scope: "session" }],
    },
  });
  expect((await session.call(read("/ws/.secret"))).failure?.code).toBe("denied");
});

test("the session explains a call without making it", async () => {
  const stub = reader();
  const session = await createSession({ tools: [stub.tool], variables, policy: { builtIn: "off" } });
  const { explanation } = await session.explain(read("/ws/a"));
  if (explanation === undefined) throw new Error("It was not decided.");
  expect(explainText(explanation)).toContain(
    "no rule on fs.read /ws/a: No policy rule allows `fs.read /ws/a`.",
  );
  expect(explanation.changes).toEqual(['a rule for it, e.g. `allow fs.read "/ws/a"`']);
  expect(await session.explain(read("/etc/passwd"))).toMatchObject({ failure: { code: "out_of_scope" } });
  expect(stub.executed).toEqual([]);
});

describe("a subagent", () => {
  const rules = [
    { permission: "fs.read", pattern: "/ws/secret/**", action: "deny", scope: "project" },
    { permission: "fs.read", pattern: "/ws/docs/**", action: "allow" },
  ] as const;

  test("is held by its parent's policy and ceiling, whatever its own say", async () => {
    const parent = await createSession({
      tools: [reader().tool],
      variables,
      policy: rules,
      ceiling: { fs: { read: ["/ws/**"] } },
    });
    const stub = reader();
    const child = await createSession({
      tools: [{ ...stub.tool, requires: { fs: { read: ["/**"] } } }],
      variables,
      parent: parent.childContext("scout"),
      policy: { mode: "yolo", rules: [{ permission: "*", action: "allow", scope: "session" }] },
      ceiling: "unlimited",
    });
    expect((await child.call(read("/ws/secret/x", "1"))).failure?.code).toBe("denied");
    expect((await child.call(read("/ws/other", "2"))).failure?.code).toBe("denied");
    expect((await child.call(read("/etc/passwd", "3"))).failure?.code).toBe("out_of_scope");
    expect((await child.call(read("/ws/docs/x", "4"))).ok).toBe(true);
  });

  test("asks the root's approver, with the path of agents shown, and no approver of its own", async () => {
    const approver = scriptedApprover("always");
    const parent = await createSession({
      tools: [reader().tool],
      variables,
      policy: rules,
      approver,
      principal: { user: "ada" },
    });
    const scout = await createSession({
      tools: [reader().tool],
      variables,
      parent: parent.childContext("scout"),
    });
    const seen: unknown[] = [];
    const deeper = await createSession({
      tools: [reader().tool],
      variables,
      parent: scout.childContext("helper"),
      principal: { user: "eve", groups: ["admin"] },
      approver: async () => ({ verdict: "once", by: "the child itself" }),
      policy: {
        watchdogs: [
          {
            name: "rex",
            evaluate(_call, { principal, agents }) {
              seen.push([principal.user, principal.groups, principal.agent, agents]);
              return { action: "allow" };
            },
          },
        ],
      },
    });
    expect((await deeper.call(read("/ws/a", "1"))).ok).toBe(true);
    expect(approver.requests).toMatchObject([{ agents: ["scout", "helper"], toolName: "reader" }]);
    expect(approver.requests[0]?.lines[0]).toContain("for the agent scout > helper");
    expect(seen[0]).toEqual(["ada", undefined, "helper", ["scout", "helper"]]);
    expect((await parent.call(read("/ws/a", "2"))).ok).toBe(true);
    expect(approver.requests).toHaveLength(1);
  });

  test("shares what was taken in and touched, both ways, and each journal knows", async () => {
    const journal = memoryJournal();
    const fetcher = stubTool("fetcher", () => "page", {
      requires: { net: { hosts: ["*"] } },
      effects: () => [netFetch("docs.example")],
    }).tool;
    const parent = await createSession({ tools: [fetcher], policy: ALLOW, journal });
    const child = await createSession({ tools: [fetcher], parent: parent.childContext("scout") });
    await child.call(call("fetcher"));
    const labels: string[] = [];
    for await (const event of journal.read()) if (event.type === "session-taint") labels.push(event.label);
    expect(labels).toEqual(["untrusted"]);
  });
});
