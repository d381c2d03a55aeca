import { createRedactor, type Rule, type SessionOptions } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  fsRead,
  fsWrite,
  memoryJournal,
  netFetch,
  shellRun,
  visible,
} from "@toolkeep/core/internal";
import { compilePolicy, diffPolicies, policyCall, policyContext, recordedCalls } from "@toolkeep/core/policy";
import { scriptedApprover, stubTool } from "@toolkeep/core/testing";
import { importGemini, parsePolicy } from "@toolkeep/policy";
import { describe, expect, test } from "vitest";
import { ALLOW, call } from "./scenario.ts";
import { newKey } from "./ssh-keys.ts";

const variables = { workspace: ["/ws"] };
const ALLOW_ALL = { permission: "*", action: "allow" } as const;

test.each([
  ["https://github.com\\ü@evil.example/x", "https://github.com\\ü@evil.example/x"],
  ["https://SECRET-ü@evil.example/x", "https://SECRET-ü@evil.example/x"],
  ["curl раураӏ.com/x", "curl раураӏ.com<xn--80aa0cbo65f.com>/x"],
  ["a\u0336b", "a<U+0336>b"],
])("of %j nothing is dropped: %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

const sender = stubTool("send", () => "sent", {
  requires: { net: { hosts: ["*"] } },
  effects: () => [netFetch("a.example")],
}).tool;
const writer = stubTool("write", () => "done", {
  requires: { fs: { write: ["/**"] } },
  effects: ({ path }) => [fsWrite(String(path))],
}).tool;

describe("a child", () => {
  test("knows its parent's secrets, and refuses unsigned answers like its parent", async () => {
    const redactor = createRedactor();
    redactor.add("db", "hunter2hunter2");
    const approvers = { "ada@example.com": { keys: [newKey().line], groups: ["release"] } };
    const options: SessionOptions = {
      tools: [sender, writer],
      policy: ["allow send", "ask fs.write by group release"],
      principal: { user: "eve" },
      redactor,
      approvers,
      approver: scriptedApprover("later"),
    };
    const parent = await createSession(options);
    const child = await createSession({ tools: [sender, writer], parent: parent.childContext("kid") });
    for (const session of [parent, child]) {
      expect((await session.call(call("send", { q: "hunter2hunter2" }))).failure?.code).toBe("denied");
      await session.run([call("write", { path: "/ws/a" })], { id: "turn" });
      await expect(session.answer("turn/c1", { verdict: "once" })).rejects.toThrow(/not signed/);
    }
  });

  test("works where its parent works, and only a session makes a parent context", async () => {
    const parent = await createSession({
      tools: [writer],
      variables,
      policy: [{ permission: "fs.write", pattern: "{workspace}/**", action: "allow" }],
    });
    const child = await createSession({
      tools: [writer],
      parent: parent.childContext("kid"),
      policy: [{ permission: "fs.write", pattern: "{workspace}/**", action: "allow" }],
    });
    expect((await child.call(call("write", { path: "/ws/a" }))).ok).toBe(true);
    await expect(createSession({ parent: { agents: ["kid"] } })).rejects.toThrow(/childContext/);
  });

  test("that is closed writes no more, and one that is born late knows what was touched", async () => {
    const parent = await createSession({ tools: [sender], policy: ALLOW });
    const journal = memoryJournal();
    const early = await createSession({ tools: [sender], parent: parent.childContext("early"), journal });
    await early.close();
    await parent.call(call("send"));
    const late = memoryJournal();
    await createSession({ tools: [sender], parent: parent.childContext("late"), journal: late });
    const types = async (one: typeof journal) => {
      const found: string[] = [];
      for await (const { type } of one.read()) found.push(type);
      return found;
    };
    expect(await types(journal)).toEqual(["session-open", "session-close"]);
    expect(await types(late)).toEqual(["session-open", "session-taint"]);
  });
});

describe("what a session is given", () => {
  const deny = 'version: 1\nrules:\n  - allow fs.write "/ws/**"\n  - deny fs.write "keep/**"\n';

  test("a policy counts with its variables, as it is written or compiled", async () => {
    const { definition } = parsePolicy(deny, { file: "policy.yaml", variables });
    if (definition === undefined) throw new Error("The file is wrong.");
    for (const policy of [definition, compilePolicy(definition)]) {
      const session = await createSession({ tools: [writer], policy });
      expect((await session.call(call("write", { path: "/ws/keep/a" }))).failure?.code).toBe("denied");
      expect((await session.call(call("write", { path: "/ws/a" }, "c2"))).ok).toBe(true);
    }
    await expect(createSession({ policy: definition, variables: { workspace: ["/other"] } })).rejects.toThrow(
      /different/,
    );
  });

  test("an unknown option is refused, and so is one that would have no effect", async () => {
    const manifest = { rules: [{ permission: "fs.write", action: "deny" }] } as const;
    const refused: [object, RegExp][] = [
      [{ polcy: {} }, /polcy/],
      [{ policy: { rule: [] } }, /rule/],
      [{ policy: { decide: compilePolicy().decide }, manifest }, /alone/],
      [{ approvers: { ada: { keys: ["ssh-rsa AAAA"] } } }, /SSH public key/],
    ];
    for (const [options, diagnostic] of refused)
      await expect(createSession(options)).rejects.toThrow(diagnostic);
  });

  test("a deny or an ask whose variable stands for nothing forbids everywhere", async () => {
    const rules = [
      ALLOW_ALL,
      { permission: "fs.write", pattern: "{workspace}/keep/**", action: "deny" } as const,
    ];
    const policy = compilePolicy({ rules, builtIn: "off" });
    const decided = (path: string) =>
      policy.decide(policyCall({ tool: "t", effects: [fsWrite(path)] }), policyContext());
    expect(await decided("/any/keep/a")).toMatchObject({ action: "deny" });
    expect(await decided("/any/a")).toMatchObject({ action: "allow" });
  });

  test("a rule that is changed after it was compiled changes nothing", async () => {
    const rule = { permission: "fs.write", action: "allow" as "allow" | "deny" };
    const evaluated = policyCall({ tool: "t", effects: [fsWrite("/a")] });
    const before = compilePolicy({ rules: [rule], builtIn: "off" });
    expect(await before.decide(evaluated, policyContext())).toMatchObject({ action: "allow" });
    rule.action = "deny";
    expect(await before.decide(evaluated, policyContext())).toMatchObject({ action: "allow" });
    expect(
      await compilePolicy({ rules: [rule], builtIn: "off" }).decide(evaluated, policyContext()),
    ).toMatchObject({ action: "deny" });
  });
});

test("an always of one user does not count for another", async () => {
  const approver = scriptedApprover("always");
  const session = await createSession({ tools: [writer], approver });
  const asUser = (user: string, id: string) =>
    session.call(call("write", { path: "/ws/a" }, id), { principal: { user } });
  for (const [user, id] of [
    ["alice", "1"],
    ["alice", "2"],
    ["bob", "3"],
  ] as const)
    await asUser(user, id);
  expect(approver.requests.map(({ callId }) => callId)).toEqual(["1", "3"]);
});

test("secrets in notes and in what would have been asked are written nowhere", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const noted = stubTool("noted", () => "x", {
    requires: { fs: { write: ["/**"] } },
    effects: () => [{ ...fsWrite(`/ws/.git/hooks/${token}`), note: `see ${token}` }],
  }).tool;
  for (const mode of ["ask", "observe"] as const) {
    const journal = memoryJournal();
    const approver = scriptedApprover("once");
    const session = await createSession({ tools: [noted], policy: { mode }, approver, journal });
    await session.call(call("noted"));
    await session.close();
    const written = (await journal.batches()).map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
    expect(written).toContain("call-start");
    expect(written + JSON.stringify(approver.requests)).not.toContain(token);
  }
});

test("against the policy that recorded it, a journal has no differences: taint, principal and approvals included", async () => {
  const rules: Rule[] = [
    { permission: "net.fetch", action: "allow", if: ["not private", "user ada"] },
    { permission: "fs.read", pattern: "/ws/.env", action: "allow" },
  ];
  const reader = stubTool("read", () => "x", {
    requires: { fs: { read: ["/**"] } },
    effects: () => [fsRead("/ws/.env")],
  }).tool;
  const journal = memoryJournal();
  const session = await createSession({
    tools: [sender, reader, writer],
    journal,
    policy: rules,
    principal: { user: "ada" },
    approver: scriptedApprover("always"),
  });
  await session.run([call("send", {}, "1"), call("read", {}, "2"), call("send", {}, "3")]);
  for (const id of ["4", "5"]) await session.call(call("write", { path: "/ws/a" }, id));
  const calls = await recordedCalls(journal, { tools: session.tools() });
  expect(calls.map(({ was }) => was)).toEqual(["allow", "ask", "ask", "ask", "allow"]);
  expect(await diffPolicies("recorded", compilePolicy({ rules }), calls)).toEqual([]);
});

describe("readers of foreign files", () => {
  test.each(["[]", "5", '[""]', '""'])("an allow whose commandPrefix is %s names no command", (prefix) => {
    const text = `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${prefix}\ndecision = "allow"\npriority = 1\n`;
    const { rules } = importGemini(text, { file: "a.toml" });
    expect(rules.filter(({ permission }) => permission === "bash")).toEqual([]);
  });

  test("are done in no time, whatever they are given", () => {
    const started = process.cpuUsage();
    const items = Array.from({ length: 40 }, () => "'a'").join("  ");
    importGemini(`[[rule]]\ncommandPrefix = [${items} !`, { file: "a.toml" });
    expect(importGemini('[[rule]]\ntoolName = "a\tb"\n', { file: "a.toml" })).toBeDefined();
    const keys = Array.from({ length: 10_000 }, (_unused, n) => `k${n}: 1`).join("\n");
    expect(parsePolicy(keys, { file: "p.yaml" }).diagnostics.length).toBeGreaterThan(0);
    const tags = `rules: [${"!a x,".repeat(50_000)}]`;
    expect(parsePolicy(tags, { file: "p.yaml" }).diagnostics.length).toBeGreaterThan(0);
    const many = `version: 1\nextends: [${"toolkeep:recommended,".repeat(4_000)}]\n`;
    expect(parsePolicy(many, { file: "p.yaml" }).diagnostics.length).toBeGreaterThan(0);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(60_000);
  });
});

test("an always for a command line applies to exactly this line", async () => {
  const shell = stubTool("bash", () => "ran", {
    requires: { capabilities: ["shell.run"] },
    effects: ({ command }) =>
      String(command)
        .split(/ ?(?:&&|\|\||;) ?/)
        .map((part) => shellRun(part.split(" "))),
  }).tool;
  const approver = scriptedApprover("always");
  const session = await createSession({ tools: [shell], approver });
  const lines = [
    "a x && b y",
    "a x && b y",
    "b y && a x",
    "a x || b y",
    `c ${"z".repeat(1_100)} && d`,
    `c ${"z".repeat(1_100)}`,
  ];
  for (const [index, command] of lines.entries()) await session.call(call("bash", { command }, `c${index}`));
  expect(approver.requests.map(({ callId }) => callId)).toEqual(["c0", "c2", "c3", "c4", "c5"]);
});

test("an always counts in the situation it was given in", async () => {
  const approver = scriptedApprover("always");
  const session = await createSession({ tools: [writer], approver });
  const turns = [{ environment: "dev" }, { environment: "dev" }, { environment: "prod" }, { role: "guest" }];
  for (const [index, principal] of turns.entries())
    await session.call(call("write", { path: "/ws/a" }, `c${index}`), { principal });
  expect(approver.requests.map(({ callId }) => callId)).toEqual(["c0", "c2", "c3"]);
});

test("what an answer adds lifts no deny, however specific it is", async () => {
  const rules: Rule[] = [{ permission: "fs.write", pattern: "**/.git/**", action: "deny", scope: "project" }];
  const approver = scriptedApprover(({ suggestions }) => ({ verdict: "rules", rules: suggestions }));
  const session = await createSession({
    tools: [writer],
    approver,
    variables,
    policy: { rules, builtIn: "off" },
  });
  expect((await session.call(call("write", { path: "/ws/a/long/folder/x" }))).ok).toBe(true);
  expect((await session.call(call("write", { path: "/ws/a/long/folder/y" }, "c2"))).ok).toBe(true);
  expect(
    (await session.call(call("write", { path: "/ws/a/long/folder/.git/config" }, "c3"))).failure?.code,
  ).toBe("denied");
  expect(approver.requests).toHaveLength(1);
});
