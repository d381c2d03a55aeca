import { readFileSync } from "node:fs";
import { policyContext, type RecordedCall } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../../node/src/commands/parse-command.ts";
import { checkPolicy } from "./check-policy.ts";
import { diffPolicyFiles, explainPolicy } from "./explain-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import { callOfTest } from "./test-call.ts";
import { testPolicy } from "./test-policy.ts";

function read(...lines: readonly string[]) {
  const file = parsePolicy(["version: 1", ...lines].join("\n"), { file: "policy.yaml" });
  expect(file.diagnostics).toEqual([]);
  return file;
}

const EVERYDAY = [
  "extends: [toolkeep:recommended]",
  "rules:",
  '  - allow fs.write "{app,scripts}/**"',
  '  - ask fs.write "{package.json,.github/**}"',
  '  - deny fs.* "**/.env*"',
  "  - allow mcp:github:get_*",
  "  - allow web_search",
  "  - allow deploy.run if user ann and environment staging",
  "  - deny deploy if group guests",
  "  - ask git_manager.push never-remember",
];

const TESTS = [
  ["read: src/a.ts", "allow"],
  ["read: ../other/a.ts", "ask"],
  ["read: .env", "deny"],
  ["read: ~/.ssh/id_ed25519", "deny"],
  ["write: app/a.ts", "allow"],
  ["write: package.json", "ask"],
  ["write: .git/config", "deny"],
  ["write: .toolkeep/policy.yaml", "deny"],
  ["write: policy.yaml", "ask"],
  ["write: ~/.bashrc", "deny"],
  ["edit: docs/a.md", "allow"],
  ["edit: other/package.json", "ask"],
  ["glob: src/**/*.ts", "allow"],
  ["glob: /etc/*", "ask"],
  ["grep: TODO", "allow"],
  ["bash: git status", "allow"],
  ["bash: git diff --stat | head -5", "allow"],
  ["bash: cat src/a.ts > other/b.ts", "allow"],
  ["bash: cat src/a.ts > package.json", "ask"],
  ["bash: cat src/a.ts > .env", "deny"],
  ["bash: find . -name x -delete", "ask"],
  ["bash: npm test", "ask"],
  ["bash: npm test, sandboxed: true", "allow"],
  ["bash: git add -A", "allow"],
  ["bash: git commit -m x", "allow"],
  ["bash: git commit --amend", "ask"],
  ["bash: git push origin main", "ask"],
  ["bash: git push --force origin main", "deny"],
  ["bash: rm -rf build", "ask"],
  ["bash: 'echo $(whoami)'", "ask"],
  ["bash: 'echo \"'", "deny"],
  ["web_fetch: https://developer.mozilla.org/en-US/", "allow"],
  ["web_fetch: https://developer.mozilla.org/, private: true", "ask"],
  ["web_fetch: developer.mozilla.org.evil.example", "ask"],
  ["web_search: how to, role: agent", "allow"],
  ["'mcp:github:get_issue': {}", "allow"],
  ["'mcp:github:delete_repo': {}", "ask"],
  ["effect: fs.write src/x", "allow"],
  ["effect: fs.delete src/x", "ask"],
  ["effect: git.push origin main", "ask"],
  ["effect: git.push origin main, forced: true", "deny"],
  ["tool: deploy, effects: [deploy.run web], user: ann, environment: staging", "allow"],
  ["tool: deploy, effects: [deploy.run web], user: ann", "ask"],
  ["tool: deploy, effects: [deploy.run web], user: ann, environment: staging, groups: [guests]", "deny"],
  ["tool: git_manager.push, effects: [fs.read a]", "ask"],
] as const;

test("the tests of a file have the effects of the real tools", async () => {
  const lines = TESTS.map(([call, expected]) => `  - { ${call}, expect: ${expected} }`);
  const report = await testPolicy(read(...EVERYDAY, "tests:", ...lines), { parseCommand });
  expect(report.text).toBe(`${TESTS.length} passed, 0 failed, 0 rules untouched`);
  expect(report.isPassed).toBe(true);
});

test("a failed test is explained, and rules that no test touches are listed", async () => {
  const report = await testPolicy(
    read(
      "rules:",
      "  - allow fs.read src/**",
      "  - deny fs.read **/.env",
      "tests:",
      "  - read: src/.env",
      "    expect: allow",
    ),
    { parseCommand },
  );
  expect(report.isPassed).toBe(false);
  expect(report.results[0]).toMatchObject({ isPassed: false, action: "deny" });
  expect(report.results[0]?.text).toContain("policy.yaml:4");
  expect(report.untouched.map(({ text }) => text)).toEqual(["allow fs.read src/**"]);
  expect(report.text).toContain("policy.yaml:6: expected allow, got deny");
  expect(report.text).toContain("0 passed, 1 failed, 1 rules untouched");
});

test("the mode applies; in observe, the decision of another mode is compared", async () => {
  const tests = ["tests:", "  - { write: a, expect: ask }", "  - { read: .env, expect: deny }"];
  const rules = ["rules: [deny fs.read **/.env]"];
  expect((await testPolicy(read("mode: observe", ...rules, ...tests), { parseCommand })).isPassed).toBe(true);
  const yolo = await testPolicy(read("mode: yolo", ...rules, ...tests), { parseCommand });
  expect(yolo.results.map(({ action }) => action)).toEqual(["allow", "deny"]);
});

test("an invalid file passes no test", async () => {
  const file = parsePolicy("version: 1\nrules: [alow x]\ntests: [{ read: a, expect: ask }]", {
    file: "policy.yaml",
  });
  const report = await testPolicy(file, { parseCommand });
  expect(report).toMatchObject({ isPassed: false, results: [] });
  expect(report.text).toContain("policy.yaml:2:9");
  await expect(explainPolicy(file, { kind: "tool", tool: "read", argument: "a" })).rejects.toThrow(
    "policy.yaml:2:9",
  );
});

test("a call is explained, and two files are compared on recorded calls", async () => {
  const before = read("rules: [allow fs.write src/**]");
  const after = read("rules: [ask fs.write src/**]");
  const { explanation, text } = await explainPolicy(before, {
    kind: "tool",
    tool: "write",
    argument: "src/a",
  });
  expect(explanation.decision.action).toBe("allow");
  expect(text).toContain("fs.write /ws/src/a");
  const call = await callOfTest(
    { kind: "tool", tool: "write", argument: "src/a" },
    {},
    { directories: { workspace: "/ws", home: "/h" }, parseCommand },
  );
  const recorded = {
    turn: "t1",
    call,
    context: policyContext(),
    was: "allow",
    by: "rule: x",
  } as const;
  const calls: readonly RecordedCall[] = [recorded, { ...recorded, call: { ...call, effects: [] } }];
  const { differences, text: summary } = await diffPolicyFiles(before, after, calls);
  expect(differences.map((one) => [one.before, one.after])).toEqual([["allow", "ask"]]);
  expect(summary).toContain("1 of 2 calls are decided differently");
});

test("the first file of the guide is valid, and each of its rules is tested", async () => {
  const guide = readFileSync(new URL("../../../../docs/guides/policy-file.md", import.meta.url), "utf8");
  const text = /```yaml\n(.*?)```/s.exec(guide)?.[1] ?? "";
  const { diagnostics, warnings, file } = checkPolicy(text, { file: "policy.yaml" });
  expect([...diagnostics, ...warnings]).toEqual([]);
  expect((await testPolicy(file, { parseCommand })).text).toBe("10 passed, 0 failed, 0 rules untouched");
});

test("a test with a command line needs a parser, and says which", async () => {
  const file = read("tests: [{ bash: ls, expect: ask }]");
  await expect(testPolicy(file)).rejects.toThrow("Pass `parseCommand` of @toolkeep/node");
});

describe("who must approve", () => {
  const SIGNED = `version: 1
rules:
  - allow mcp:payments:send
  - 'final ask mcp:payments:send by group leads within 4h when "args.amount > 100" because "PAY-2"'
  - 'final ask mcp:payments:send by 2 of group leads when "args.amount > 10000" because "PAY-3: four eyes"'
  - 'final ask mcp:payments:send by group legal when "args.amount > 90000"'
tests:
`;
  const run = (...tests: string[]) =>
    testPolicy(parsePolicy(`${SIGNED}${tests.map((one) => `  - ${one}\n`).join("")}`, { file: "p.yaml" }));
  const payment = (amount: number, by: string) =>
    `{ "mcp:payments:send": { amount: ${amount} }, expect: ask, by: ${by} }`;

  test("is compared, and every rule that asks for approvers is touched and named", async () => {
    const report = await run(
      '{ "mcp:payments:send": { amount: 50 }, expect: allow }',
      payment(500, "group leads"),
      payment(50_000, "2 of group leads"),
      payment(95_000, "[2 of group leads within 4h, group legal]"),
    );
    expect(report.text).toBe("4 passed, 0 failed, 0 rules untouched");
    expect(report.results[2]?.explanation?.decision.reason).toMatch(/PAY-2.*PAY-3: four eyes/s);
  });

  test.each([
    [500, "2 of group leads", "got ask by group leads within 4h"],
    [50_000, "group leads", "got ask by 2 of group leads within 4h"],
    [95_000, "2 of group leads", "and by group legal"],
    [95_000, "[2 of group leads, group lawyers]", "and by group legal"],
  ])("of %i is not %s", async (amount, by, said) => {
    const { isPassed, text } = await run(payment(amount, by));
    expect({ isPassed, text }).toEqual({ isPassed: false, text: expect.stringContaining(said) });
  });

  test("is said of what asks alone, and names groups", async () => {
    for (const [test, said] of [
      ["{ bash: ls, expect: allow, by: group leads }", "`expect` must be ask"],
      ["{ bash: ls, expect: ask, by: leads }", "must name a group"],
    ] as const)
      expect((await run(test)).text).toContain(said);
  });
});
