import type { Rule } from "@toolkeep/core";
import {
  createSessionWithPorts as createSession,
  effect,
  fsRead,
  fsWrite,
  memoryJournal,
  netFetch,
  previewRules,
  shellRun,
} from "@toolkeep/core/internal";
import {
  compilePolicy,
  differencesText,
  diffPolicies,
  observedCalls,
  observedText,
  recordedCalls,
} from "@toolkeep/core/policy";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";
import { call } from "./scenario.ts";

const variables = { workspace: ["/ws"] };
const any = {
  fs: { read: ["/**"], write: ["/**"] },
  net: { hosts: ["*"] },
  capabilities: ["shell.run", "git.push"],
};

/** Four kinds of tool, each with the one effect its argument names. */
const tools = [
  stubTool("read", () => "x", { requires: any, effects: ({ at }) => [fsRead(String(at))], mode: "read" })
    .tool,
  stubTool("edit", () => "x", { requires: any, effects: ({ at }) => [fsWrite(String(at))] }).tool,
  stubTool("bash", () => "x", { requires: any, effects: ({ at }) => [shellRun(String(at).split(" "))] }).tool,
  stubTool("web_fetch", () => "x", { requires: any, effects: ({ at }) => [netFetch(String(at))] }).tool,
  stubTool("push", () => "x", { requires: any, effects: ({ at }) => [effect("git.push", String(at))] }).tool,
];

const rules: readonly Rule[] = [
  { permission: "fs.read", pattern: "{workspace}/**", action: "allow", scope: "project" },
  { permission: "shell.run", pattern: "git status *", action: "allow", scope: "project" },
  { permission: "git.push", action: "deny", scope: "project" },
];

/** A session's day: calls by turns, some allowed, some asked, some denied. */
function dayOfCalls(count: number) {
  const kinds = [
    (n: number) => call("read", { at: `/ws/src/${n}.ts` }, `c${n}`),
    (n: number) => call("edit", { at: `/ws/${n % 3 === 0 ? "docs" : "src"}/${n}.ts` }, `c${n}`),
    (n: number) => call("bash", { at: n % 2 === 0 ? "git status" : `npm run job${n % 7}` }, `c${n}`),
    (n: number) => call("web_fetch", { at: `host${n % 11}.example` }, `c${n}`),
    (n: number) => call("push", { at: `origin b${n}` }, `c${n}`),
  ];
  return Array.from({ length: count }, (_unused, n) =>
    (kinds[n % kinds.length] as (n: number) => ReturnType<typeof call>)(n),
  );
}

async function record(count: number, mode: "ask" | "observe" = "ask") {
  const journal = memoryJournal();
  const session = await createSession({
    tools,
    variables,
    journal,
    policy: { mode, rules },
    approver: async ({ toolName }) => ({ verdict: toolName === "web_fetch" ? "reject" : "once", by: "ada" }),
  });
  for (const one of dayOfCalls(count)) await session.call(one);
  await session.close();
  return recordedCalls(journal, { tools: session.tools() });
}

test("a thousand recorded calls against a changed policy: every decision that changed is named, with why", async () => {
  const calls = await record(1_000);
  expect(calls).toHaveLength(1_000);
  const before = compilePolicy({ rules, variables });
  expect(await diffPolicies("recorded", before, calls)).toEqual([]);
  const added: Rule = {
    permission: "fs.write",
    pattern: "{workspace}/src/**",
    action: "allow",
    scope: "project",
    at: "policy.yaml:4",
  };
  const tightened: Rule = {
    permission: "fs.read",
    pattern: "**/9*.ts",
    action: "deny",
    scope: "project",
    at: "policy.yaml:5",
  };
  const after = compilePolicy({ rules: [...rules, added, tightened], variables });
  const differences = await diffPolicies(before, after, calls);
  const expected = calls.filter(({ call: { effects } }) => {
    const [one] = effects;
    const isLooser = one?.capability === "fs.write" && one.target.startsWith("/ws/src/");
    return isLooser || (one?.capability === "fs.read" && /\/9\d*\.ts$/.test(one.target));
  });
  expect(differences.map(({ recorded }) => recorded)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(100);
  const text = differencesText(differences);
  expect(text.match(/ask -> allow/g)).toHaveLength(
    differences.filter(({ after: now }) => now === "allow").length,
  );
  expect(text).toContain("c1 edit: ask -> allow");
  expect(text).toContain('allow fs.write "{workspace}/src/**" (policy.yaml:4) on fs.write /ws/src/1.ts');
  expect(text).toContain('deny fs.read "**/9*.ts" (policy.yaml:5)');
});

test("from observe to ask is one word, and the report says what will be asked", async () => {
  const watched = await record(100, "observe");
  const asked = await record(100, "ask");
  expect(watched.every(({ was }) => was === "allow")).toBe(true);
  expect(watched.map(({ observed }) => observed?.action ?? "allow")).toEqual(asked.map(({ was }) => was));
  const report = observedCalls(watched);
  const total = report.reduce((sum, { count }) => sum + count, 0);
  expect(total).toBe(asked.filter(({ was }) => was !== "allow").length);
  expect(observedText(report)).toContain("would deny: push: A policy rule denies this: `deny git.push`.");
});

test("a wider rule is shown with what else it would have let pass", async () => {
  const calls = await record(200);
  const rule: Rule = { permission: "shell.run", pattern: "npm run *", action: "allow", scope: "session" };
  const { wouldHaveAllowed } = await previewRules([rule], compilePolicy({ rules, variables }), calls);
  const targets = new Set(wouldHaveAllowed.map(({ call: { effects } }) => effects[0]?.target));
  expect([...targets].toSorted()).toEqual(Array.from({ length: 7 }, (_unused, n) => `npm run job${n}`));
});
