import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseCommand } from "../../../node/src/commands/parse-command.ts";
import { checkPolicy } from "./check-policy.ts";
import { parsePolicy } from "./parse-policy.ts";
import { formatDiagnostic } from "./policy-file.ts";
import { testPolicy } from "./test-policy.ts";

const GUIDE = readFileSync(new URL("../../../../docs/guides/policy-file.md", import.meta.url), "utf8");
const [, RULES = "", TESTS = ""] = /```yaml\n(rules:\n {2}# An amount.*?)(tests:\n.*?)```/s.exec(GUIDE) ?? [];

const MORE = `
  - { "mcp:payments:send": { amount: 1, currency: USD }, expect: deny }
  - { "mcp:payments:send": { amount: "100", currency: EUR }, expect: ask }
  - { "mcp:mail:send_text": { to: [ada@corp.example] }, earlier: 19, expect: allow }
  - { "mcp:mail:send_text": { to: [ada@corp.example] }, earlier: { 50m: 10, 2h: 50 }, expect: allow }
  - { "mcp:mail:send_text": { to: [ada@corp.example, eve@evil.example] }, expect: ask }
  - { "mcp:mail:send_text": { to: ada@corp.example }, expect: ask }
  - { read: /srv/tenants/a/x, tenant: a, expect: ask }
  - { read: /srv/tenants/a/x, expect: deny }
  - { write: src/a.ts, environment: production, user: ada, groups: [sre], expect: allow }
  - { write: src/a.ts, environment: test, user: ada, expect: allow }
  - { write: src/a.ts, expect: deny }
`.slice(1);

test("the rules that a company writes, as in the guide, with tests of arguments, principal, time and earlier calls", async () => {
  const text = `version: 1\nextends: [toolkeep:recommended]\n${RULES}${TESTS}${MORE}`;
  const file = parsePolicy(text, { file: "policy.yaml", home: "/home/user" });
  expect(file.diagnostics.map(formatDiagnostic)).toEqual([]);
  const report = await testPolicy(file, { parseCommand });
  expect(report.text).toBe("18 passed, 0 failed, 0 rules untouched");
});

test("office hours decide between an ask and what other rules say", async () => {
  const text = `version: 1
rules:
  - allow git.push
  - ask git.push "*" when "now.hour('Europe/Berlin') < 9 || now.hour('Europe/Berlin') >= 18"
tests:
  - { effect: git.push origin main, now: 2026-11-16T08:59+01:00, expect: ask }
  - { effect: git.push origin main, now: 2026-11-16T09:00+01:00, expect: allow }
  - { effect: git.push origin main, now: 2026-07-16T15:59Z, expect: allow }
  - { effect: git.push origin main, now: 2026-07-16T16:00Z, expect: ask }
`;
  expect((await testPolicy(parsePolicy(text, { file: "policy.yaml" }))).text).toContain("4 passed, 0 failed");
});

test.each([
  ["ask pay when \"args.amont > 1 && usr == 'x'\"", "", "Did you mean `user`?"],
  ["ask pay when \"args.a.startWith('x')\"", "", "Did you mean `startsWith`?"],
  ['ask pay when "amount > 100"', "2:24", "args.amount"],
  ["ask pay when args.amount", "2:22", 'when "args.amount > 100"'],
  ['ask pay when "true" when "true"', "2:30", "appears twice"],
])("an error in a condition is shown where it is: %s", (rule, place, hint) => {
  const text = `version: 1\nrules: ['${rule.replaceAll("'", "''")}']\n`;
  const [first] = checkPolicy(text, { file: "policy.yaml" }).diagnostics.map(formatDiagnostic);
  expect(first).toContain("policy.yaml:");
  expect(first).toContain(hint);
  // Two quotes of YAML are one character of the rule.
  if (place !== "") expect(first).toContain(`policy.yaml:${place}:`);
});

test.each([
  ["now: yesterday", "now: 2026-11-16T21:30+01:00"],
  ["earlier: many", "earlier: 20"],
  ["earlier: { soon: 2 }", "earlier: 20"],
  ["args: 5", "`args`"],
])("an error in a test says what to write: %s", (facts, hint) => {
  const text = `version: 1\ntests:\n  - { tool: pay, effects: [payments.send x], ${facts}, expect: ask }\n`;
  const found = parsePolicy(text, { file: "policy.yaml" }).diagnostics.map(formatDiagnostic).join("\n");
  expect(found).toContain("policy.yaml:3:");
  expect(found).toContain(hint);
});

test("an own rule that says the same as a recommended one keeps its reason", async () => {
  const text = `version: 1
extends: [toolkeep:recommended]
rules:
  - deny git.push "*" if forced because "CHG-001"
tests:
  - { effect: git.push origin main, forced: true, expect: deny }
`;
  const [result] = (await testPolicy(parsePolicy(text, { file: "policy.yaml" }))).results;
  expect(result?.explanation?.decision).toMatchObject({ because: "CHG-001", at: "policy.yaml:4" });
});
