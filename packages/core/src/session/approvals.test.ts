import { describe, expect, test } from "vitest";
import { call, until } from "../../../../tests/scenario.ts";
import { variables, write, writer } from "../../../../tests/workspace-writer.ts";
import type { ApprovalAnswer } from "../contract/approval/approval.ts";
import {
  type Effect,
  fsRead,
  fsWrite,
  netFetch,
  type RequirementSet,
  shellRun,
} from "../contract/call/effect.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import type { Tool } from "../contract/tool/tool.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

describe("what was approved is remembered", () => {
  test("[C79] by tool, origin, definition, key and effects, as long as the session", async () => {
    const approver = scriptedApprover("always");
    await using session = await createSession({ tools: [writer()], approver, variables });
    await session.call(write("/ws/a"));
    await session.call(write("/ws/a"));
    expect(approver.requests).toHaveLength(1);
    await session.call(write("/ws/b"));
    expect(approver.requests).toHaveLength(2);
    session.forgetApprovals();
    await session.call(write("/ws/a"));
    expect(approver.requests).toHaveLength(3);
  });

  test("[C79] less than what was approved passes, if the tool says that it is about the same", async () => {
    const approver = scriptedApprover("always");
    const tool = { ...writer(), deriveApprovalKey: () => "release" };
    await using session = await createSession({ tools: [tool], approver, variables });
    await session.call(call("writer", { paths: ["/ws/a", "/ws/b"] }));
    await session.call(call("writer", { paths: ["/ws/b"] }));
    expect(approver.requests).toHaveLength(1);
    await session.call(call("writer", { paths: ["/ws/b", "/ws/c"] }));
    expect(approver.requests).toHaveLength(2);
  });

  test("[C79] a session that is opened again remembers; a tool that says something else asks", async () => {
    const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
    const first = scriptedApprover("always");
    const before = await createSession({ ...stores, tools: [writer()], approver: first, variables });
    await before.call(write("/ws/a"));
    const second = scriptedApprover("reject");
    const again = await createSession({ ...stores, tools: [writer()], approver: second, variables });
    expect((await again.call(write("/ws/a"))).ok).toBe(true);
    expect(second.requests).toHaveLength(0);
    const changed = await createSession({
      ...stores,
      tools: [writer("Writes, and tells.")],
      approver: second,
      variables,
    });
    expect((await changed.call(write("/ws/a"))).ok).toBe(false);
    expect(second.requests).toHaveLength(1);
  });

  test("[C79] for the project only where there is a store for it", async () => {
    const store = new Map<string, unknown>();
    const projectApprovals = {
      has: (entry: string) => store.has(entry),
      add: (entry: string, about: object) => void store.set(entry, about),
    };
    const always = (scope: "session" | "project") => async () =>
      ({ verdict: "always", scope, by: "ada" }) as const;
    const one = await createSession({
      tools: [writer()],
      approver: always("session"),
      variables,
      projectApprovals,
    });
    await one.call(write("/ws/a"));
    expect(store.size).toBe(0);
    const two = await createSession({
      tools: [writer()],
      approver: always("project"),
      variables,
      projectApprovals,
    });
    await two.call(write("/ws/a"));
    expect([...store.values()]).toEqual([
      expect.objectContaining({ toolName: "writer", asker: "rules", by: "ada" }),
    ]);
    const headless = await createSession({ tools: [writer()], variables, projectApprovals });
    expect((await headless.call(write("/ws/a"))).ok).toBe(true);
    expect((await headless.call(write("/ws/b"))).ok).toBe(false);
    const without = await createSession({ tools: [writer()], approver: always("project"), variables });
    await without.call(write("/ws/a"));
    expect((await (await createSession({ tools: [writer()], variables })).call(write("/ws/a"))).ok).toBe(
      false,
    );
  });
});

test("an `always` for the project ends in every session, also a restored one, when it is revoked", async () => {
  const kept = new Map<string, { readonly lines: readonly string[] }>();
  const projectApprovals = {
    has: (entry: string) => kept.has(entry),
    add: (entry: string, about: { readonly lines: readonly string[] }) => void kept.set(entry, about),
  };
  const reject = { verdict: "reject" } as const;
  const approver = scriptedApprover([{ verdict: "always", scope: "project", by: "ada" }, reject, reject]);
  const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
  const options = { ...stores, tools: [writer()], variables, approver, projectApprovals };
  const session = await createSession(options);
  expect((await session.call(write("/ws/a"))).ok).toBe(true);
  expect((await session.call(write("/ws/a"))).ok).toBe(true);
  expect([...kept.values()].map(({ lines }) => lines)).toEqual([
    [
      "Allows writer again for this, with any other arguments:",
      "  | fs.write /ws/a",
      "Other paths are not covered.",
    ],
  ]);
  kept.clear();
  expect((await session.call(write("/ws/a"))).ok).toBe(false);
  const again = await createSession(options);
  expect((await again.call(write("/ws/a"))).ok).toBe(false);
});

test("a remembered approval never covers a deny, or what a rule says is never remembered", async () => {
  const projectApprovals = { has: () => true, add: () => {} };
  const decided = async (rule: string) => {
    const approver = scriptedApprover("reject");
    const options = { tools: [writer()], variables, approver, projectApprovals, policy: { rules: [rule] } };
    const session = await createSession(options);
    const { ok } = await session.call(write("/ws/a"));
    return { ok, asked: approver.requests.length };
  };
  expect(await decided("ask fs.write")).toEqual({ ok: true, asked: 0 });
  expect(await decided("ask fs.write never-remember")).toEqual({ ok: false, asked: 1 });
  expect(await decided("deny fs.write")).toEqual({ ok: false, asked: 0 });
});

test("a wider rule is an answer of its own, outlives the process, and loosens no deny", async () => {
  const rules: Rule[] = [{ permission: "fs.write", pattern: "**/.env", action: "deny" }];
  const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
  const approver = scriptedApprover(({ suggestions }) => ({
    verdict: "rules",
    rules: suggestions,
    by: "ada",
  }));
  const options = { ...stores, tools: [writer()], policy: rules, variables };
  const session = await createSession({ ...options, approver });
  expect((await session.call(write("/ws/src/a"))).ok).toBe(true);
  expect((await session.call(write("/ws/src/b"))).ok).toBe(true);
  expect(approver.requests).toHaveLength(1);
  const again = await createSession(options);
  expect((await again.call(write("/ws/src/c"))).ok).toBe(true);
  expect((await again.call(write("/ws/src/.env"))).failure?.code).toBe("denied");
  expect((await again.call(write("/ws/docs/c"))).ok).toBe(false);
});

test.each<readonly Rule[]>([
  [[{ permission: "fs.write", action: "deny" }]],
  [[{ permission: "fs.read", action: "allow" }]],
  [[{ permission: "", action: "allow" }]],
  [[]],
] as never)(
  "rules in an answer must allow the call that asked, or the answer is rejected: %j",
  async (rules) => {
    const approver = scriptedApprover([{ verdict: "rules", rules }] as never);
    const session = await createSession({ tools: [writer()], approver, variables });
    expect((await session.call(write("/ws/a"))).failure?.code).toBe("denied");
  },
);

test("rules in an answer count for the session, whatever scope they claim", async () => {
  const rules: Rule[] = [{ permission: "fs.write", pattern: "/ws/**", action: "allow", scope: "manifest" }];
  const approver = scriptedApprover([{ verdict: "rules", rules }]);
  const session = await createSession({ tools: [writer()], approver, variables });
  await session.call(write("/ws/a"));
  await session.call(write("/ws/b"));
  expect(approver.requests).toHaveLength(1);
  const { wouldHaveAllowed } = await session.preview([{ permission: "fs.write", action: "allow" }]);
  expect(wouldHaveAllowed).toEqual([]);
  session.forgetApprovals();
  expect((await session.call(write("/ws/c"))).ok).toBe(false);
});

test("no wider rules are offered where they would not help", async () => {
  const asked = async (rules: readonly Rule[], path: string) => {
    const approver = scriptedApprover("once");
    const session = await createSession({ tools: [writer()], approver, variables, policy: rules });
    await session.call(write(path));
    return approver.requests[0]?.suggestions.map(({ pattern }) => pattern);
  };
  expect(await asked([], "/ws/src/a")).toEqual(["{workspace}/src/**"]);
  expect(await asked([{ permission: "fs.write", pattern: "/ws/src/a", action: "ask" }], "/ws/src/a")).toEqual(
    [],
  );
  expect(await asked([], "/ws/.git/hooks/pre-commit")).toEqual([]);
  expect(await asked([{ permission: "fs.write", action: "ask", neverRemember: true }], "/ws/src/a")).toEqual(
    [],
  );
});

test("what was forgotten stays forgotten in the next life", async () => {
  const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
  const session = await createSession({
    ...stores,
    tools: [writer()],
    approver: scriptedApprover("always"),
    variables,
  });
  await session.call(write("/ws/a"));
  session.forgetApprovals();
  const again = await createSession({ ...stores, tools: [writer()], variables });
  expect((await again.call(write("/ws/a"))).ok).toBe(false);
});

test("a late answer does not apply where a watchdog asks that did not ask before", async () => {
  const tools = [
    writer(),
    stubTool("taint", () => "x", {
      requires: { fs: { read: ["/**"] }, net: { hosts: ["*"] } },
      effects: () => [fsRead("/ws/.env"), netFetch("docs.example")],
    }).tool,
    stubTool("send", () => "sent", {
      requires: { net: { hosts: ["*"] } },
      effects: () => [netFetch("other.example")],
    }).tool,
  ];
  const approver = scriptedApprover("later");
  const session = await createSession({
    tools,
    approver,
    variables,
    policy: [{ permission: "taint", action: "allow" }],
  });
  await session.run([call("send", {}, "c1")], { id: "t1" });
  const tainting = session.call(call("taint", {}, "c2"), { id: "t2" });
  await until(async () => (await session.waiting()).some(({ id }) => id === "t2/c2"));
  await session.answer("t2/c2", { verdict: "once" });
  await tainting;
  await session.answer("t1/c1", { verdict: "once" });
  expect(await session.resume("t1")).toMatchObject({ status: "waiting", requests: [{ id: "t1/c1/again" }] });
  expect(approver.requests.at(-1)).toMatchObject({ callId: "c1", askedBy: ["rules", "rule-of-two"] });
  await session.answer("t1/c1/again", { verdict: "once" });
  expect(await session.resume("t1")).toMatchObject({ status: "done", results: [{ ok: true }] });
});

test("edited arguments that a watchdog asks about anew are asked for again", async () => {
  const answers: ApprovalAnswer[] = [
    { verdict: "edit", arguments: { path: "/ws/.git/hooks/pre-commit" } },
    { verdict: "reject" },
  ];
  const approver = scriptedApprover(answers);
  const session = await createSession({ tools: [writer()], approver, variables });
  expect((await session.call(write("/ws/a"))).failure?.code).toBe("denied");
  expect(approver.requests.map(({ askedBy }) => askedBy)).toEqual([["rules"], ["rules", "protected-names"]]);
});

test("the requests of a batch carry their position, so that a person sees one grouped approval", async () => {
  const approver = scriptedApprover("once");
  const rules: Rule[] = [{ permission: "fs.write", pattern: "/ws/free", action: "allow" }];
  await using session = await createSession({ tools: [writer()], approver, variables, policy: rules });
  await session.run([write("/ws/a", "c1"), write("/ws/free", "c2"), write("/ws/b", "c3")], {
    id: "t1",
  });
  expect(approver.requests.map(({ batch }) => batch)).toEqual([
    { id: "t1", index: 0, size: 2 },
    { id: "t1", index: 1, size: 2 },
  ]);
});

describe("a script that was changed", () => {
  const doing = (name: string, effect: Effect, requires: RequirementSet) =>
    defineTool({
      name,
      description: "A stub.",
      inputSchema: { type: "object" },
      requires,
      effects: () => [effect],
      execute: () => "done",
    }) as Tool;
  const runner = doing("runner", shellRun(["npm", "test"]), { capabilities: ["shell.run"] });
  const changed = { ...fsWrite("/ws/package.json"), scripts: ["test"] };
  const changer = doing("changer", changed, { fs: { write: ["/ws/**"] } });
  const policy = { rules: [{ permission: "*", action: "allow" as const }] };

  test("asks once, and not again until it changes again, also in a session that is opened again", async () => {
    const approver = scriptedApprover("once");
    const stores = { id: "s1", journal: memoryJournal(), pending: memoryPending() };
    const open = () => createSession({ ...stores, tools: [runner, changer], approver, policy, variables });
    const session = await open();
    await session.call(call("runner", {}));
    await session.call(call("changer", {}));
    expect(approver.requests).toHaveLength(0);
    for (const _ of [1, 2, 3]) await session.call(call("runner", {}));
    expect(approver.requests).toHaveLength(1);
    const again = await open();
    await again.call(call("runner", {}));
    expect(approver.requests).toHaveLength(1);
    await again.call(call("changer", {}));
    await again.call(call("runner", {}));
    expect(approver.requests).toHaveLength(2);
  });

  test("asks each time where the question is handed to another program, whose answer is not known", async () => {
    const requests: string[] = [];
    const approver = {
      approve: async ({ reason }: { readonly reason: string }) => {
        requests.push(reason);
        return { verdict: "once", isElsewhere: true } as const;
      },
    };
    await using session = await createSession({ tools: [runner, changer], approver, policy, variables });
    await session.call(call("changer", {}));
    for (const _ of [1, 2]) await session.call(call("runner", {}));
    expect(requests).toHaveLength(2);
  });
});
