import { describe, expect, test } from "vitest";
import { effect } from "../../contract/call/effect.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compilePolicy } from "../compile-policy.ts";
import { parseRule } from "../grammar/parse-rule.ts";
import { ruleText } from "../rules/compile-rule.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";

const TWO = 'ask payments.send "*" by 2 of group payments';

function rulesOf(line: string): readonly Rule[] {
  const parsed = parseRule(line);
  if (parsed.diagnostic !== undefined) throw new Error(parsed.diagnostic.message);
  return parsed.rules;
}

describe("a rule says who must approve", () => {
  test.each([
    ["ask payments.send by group payments", { group: "payments", count: 1 }],
    [TWO, { group: "payments", count: 2 }],
    [
      'ask payments.send "*" if not user eve by 2 of group "core team" within 90m never-remember because "SOX"',
      { group: "core team", count: 2, withinMs: 5_400_000 },
    ],
    ["ask payments.send by group payments within 2d", { group: "payments", count: 1, withinMs: 172_800_000 }],
  ])("%s", (line, approvers) => {
    const [rule] = rulesOf(line);
    expect(rule?.approvers).toEqual(approvers);
    if (rule === undefined) throw new Error("There is no rule.");
    expect(rulesOf(ruleText(rule))[0]?.approvers).toEqual(approvers);
  });

  test.each([
    ["allow payments.send by group payments", "Only an `ask` rule"],
    ["deny payments.send by group payments", "Only an `ask` rule"],
    ["ask payments.send by payments", "needs a group"],
    ["ask payments.send by group", "needs a group"],
    ["ask payments.send by 0 of group payments", "needs a group"],
    ["ask payments.send by two of group payments", "needs a group"],
    ["ask payments.send by 21 of group payments", "1 to 20"],
    ["ask payments.send by group payments within", "needs a time"],
    ["ask payments.send by group payments within 1w", "needs a time"],
    ["ask payments.send by group payments within 0s", "needs a time"],
    ["ask payments.send by group a by group b", "appears twice"],
  ])("%s is an error", (line, message) => {
    expect(() => rulesOf(line)).toThrow(message);
  });

  test("as an object it is checked too", () => {
    const rule = { permission: "payments.send", action: "ask" } as const;
    for (const approvers of [
      { group: "", count: 1 },
      { group: "a" },
      { group: "a", count: 1, user: "b" },
      "a",
    ])
      expect(() => compilePolicy([{ ...rule, approvers } as never])).toThrow(/approvers/);
  });
});

const needsOf = async (rules: readonly (Rule | string)[], more: object = {}, targets = ["acme"]) => {
  const policy = compilePolicy({ rules, builtIn: "off", ...more });
  const effects = targets.map((target) => effect("payments.send", target));
  const decision = await policy.decide(policyCall({ tool: "pay", effects }), policyContext({}));
  return decision.action === "ask" ? (decision.needs ?? "anybody") : decision.action;
};

const PAYMENTS = { group: "payments", count: 2 };
const SECURITY = { group: "security", count: 1 };

describe("who must approve a call", () => {
  test("is not replaced by a more specific ask, and is by a more specific rule with `by`", async () => {
    expect(await needsOf([TWO, 'ask payments.send "acme"'])).toEqual([PAYMENTS]);
    expect(await needsOf([TWO, 'ask payments.send "acme" by group security'])).toEqual([SECURITY]);
    expect(await needsOf([TWO, 'allow payments.send "acme"'])).toBe("allow");
    expect(await needsOf([TWO, 'deny payments.send "acme"'])).toBe("deny");
  });

  test("adds up over equal rules, both families and all effects", async () => {
    expect(await needsOf([TWO, 'ask payments.send "*" by group security'])).toEqual(
      expect.arrayContaining([PAYMENTS, SECURITY]),
    );
    expect(await needsOf([TWO, "ask pay by group security"])).toEqual(
      expect.arrayContaining([PAYMENTS, SECURITY]),
    );
    const two = [
      'ask payments.send "acme" by group security',
      'ask payments.send "beta" by 2 of group payments',
    ];
    expect(await needsOf(two, {}, ["acme", "beta"])).toEqual([SECURITY, PAYMENTS]);
    const one = [
      'ask payments.send "acme" by group payments',
      'ask payments.send "beta" by 2 of group payments',
    ];
    expect(await needsOf(one, {}, ["acme", "beta"])).toEqual([PAYMENTS]);
    expect(await needsOf([TWO], {}, ["acme", "other"])).toEqual([PAYMENTS]);
  });

  test("is the same in the mode yolo, after a stage machine, and for a rule that an answer added", async () => {
    expect(await needsOf([TWO], { mode: "yolo" })).toEqual([PAYMENTS]);
    const stages = { name: "ours", evaluate: () => "approve" as const };
    expect(await needsOf([TWO], { stages })).toEqual([PAYMENTS]);
    const added: Rule = {
      permission: "payments.send",
      pattern: "acme",
      action: "allow",
      scope: "session",
      yieldsToDeny: true,
    };
    expect(await needsOf([TWO, added])).toEqual([PAYMENTS]);
    expect(await needsOf(["ask * by group security", added])).toEqual([SECURITY]);
    expect(await needsOf([TWO, 'allow payments.send "acm*"', added])).toBe("allow");
  });

  test("is never fewer than a final rule says, whatever another file has", async () => {
    const final = `final ${TWO}`;
    expect(await needsOf([final, 'final ask payments.send "acme" by group security'])).toEqual(
      expect.arrayContaining([PAYMENTS, SECURITY]),
    );
    expect(await needsOf(["final ask * by 2 of group payments", "final ask pay"])).toEqual([PAYMENTS]);
  });

  test("is added to by a project's file, and not replaced", async () => {
    const ofProject = (line: string): Rule[] => rulesOf(line).map((rule) => ({ ...rule, yieldsToAsk: true }));
    const theirs = ofProject('ask payments.send "acme" by group security');
    expect(await needsOf([TWO, ...theirs])).toEqual(expect.arrayContaining([PAYMENTS, SECURITY]));
    expect(await needsOf(["ask * by 2 of group payments", ...ofProject("allow pay")])).toEqual([PAYMENTS]);
  });
});
