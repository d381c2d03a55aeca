import { describe, expect, test } from "vitest";
import { effect, fsRead, fsWrite } from "../contract/call/effect.ts";
import type { PolicyDefinition } from "../contract/policy/decision.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { compilePolicy } from "./compile-policy.ts";
import { parseRule } from "./grammar/parse-rule.ts";
import { policyCall, policyContext } from "./rules/policy-call.ts";

const PUSH = effect("git.push", "origin main");
const call = (...effects: readonly ReturnType<typeof effect>[]) => policyCall({ tool: "bash", effects });
const push = call(PUSH);

async function decide(definition: PolicyDefinition, known = {}, made = push) {
  return compilePolicy({ builtIn: "off", ...definition }).decide(made, policyContext(known));
}

const FINAL = 'final ask git.push "*"';

describe("a final ask", () => {
  const loosening: readonly (readonly [by: string, definition: PolicyDefinition, known: object])[] = [
    ["a longer pattern", { rules: [FINAL, 'allow git.push "origin main"'] }, {}],
    ["a rule on the tool and on everything", { rules: [FINAL, "allow bash", "allow *"] }, {}],
    ["the mode yolo", { rules: [FINAL], mode: "yolo" }, {}],
    ["the mode observe", { rules: [FINAL], mode: "observe" }, {}],
    [
      "an allow-list",
      { rules: [FINAL], mode: "allowlist", allowList: ["bash", "git.push(origin main)"] },
      {},
    ],
    ["a remembered answer", { rules: [FINAL] }, { isApproved: () => true }],
    ["a stage machine", { rules: [FINAL], stages: { name: "s", evaluate: () => "approve" } }, {}],
    [
      "a project's deny in the mode observe",
      { rules: [FINAL, { permission: "git.push", action: "deny", scope: "project" }], mode: "observe" },
      {},
    ],
    [
      "a watchdog that asks in the mode observe",
      {
        rules: [FINAL],
        mode: "observe",
        watchdogs: [{ name: "w", evaluate: () => ({ action: "ask", reason: "r" }) }],
      },
      {},
    ],
    [
      "a built-in watchdog in the mode observe",
      { rules: [FINAL], mode: "observe", builtIn: { loop: 2 } },
      {},
    ],
  ];
  test.each(loosening)("is not loosened by %s", async (_by, definition, known) => {
    expect((await decide(definition, known)).action).not.toBe("allow");
  });

  test("holds for each effect of a call, in every order", async () => {
    const write = fsWrite("/ws/a");
    const rules: readonly (Rule | string)[] = [
      FINAL,
      { permission: "fs.write", action: "deny", scope: "project" },
      "allow fs.read",
    ];
    for (const mode of ["ask", "observe", "yolo"] as const)
      for (const made of [call(PUSH, write), call(write, PUSH), call(fsRead("/ws/a"), PUSH)])
        expect((await decide({ rules, mode }, {}, made)).action).not.toBe("allow");
  });

  test("cannot be remembered, and has no rules that would allow the call", async () => {
    const policy = compilePolicy({ builtIn: "off", rules: [FINAL] });
    const decision = await policy.decide(push, policyContext());
    expect(decision).toMatchObject({ action: "ask", neverRemember: true, isFinal: true });
    expect(policy.exactRules(push, policyContext(), decision)).toEqual([]);
    const { changes } = await policy.explain(push, policyContext());
    expect(changes).toEqual([expect.stringContaining("nothing else can")]);
  });

  test("about deleting holds for what is moved too", async () => {
    const moved = call({ ...effect("fs.delete", "/ws/a"), implied: true });
    expect((await decide({ rules: ["final ask fs.delete"] }, {}, moved)).action).toBe("ask");
  });

  test("leaves its files out of trees that are read in part, in every mode", () => {
    const tree = call({ ...fsRead("/ws/**"), partial: true });
    for (const mode of ["ask", "yolo", "observe"] as const) {
      const policy = compilePolicy({
        mode,
        rules: ['final ask fs.read "/ws/payroll/**"', 'allow fs.read "/ws/**"'],
      });
      expect(policy.leavesOut?.(tree, policyContext())).toEqual(["/ws/payroll/**"]);
    }
  });
});

describe("among final rules", () => {
  test("the usual order decides, and denies come first", async () => {
    const rules = [FINAL, 'final allow git.push "origin *"'];
    expect((await decide({ rules })).action).toBe("allow");
    expect((await decide({ rules: [...rules, 'deny git.push "origin main"'] })).action).toBe("deny");
    expect((await decide({ rules: [...rules, "final ask bash"] })).action).toBe("ask");
  });

  test("a final allow is not asked about because of another rule, and watchdogs still apply", async () => {
    const rules = ['final allow git.push "*"', 'ask git.push "origin main"', "ask bash"];
    expect((await decide({ rules })).action).toBe("allow");
    const watchdogs = [{ name: "w", evaluate: () => ({ action: "ask" as const, reason: "r" }) }];
    expect((await decide({ rules, watchdogs })).action).toBe("ask");
  });

  test("a rule of one session is never one of them", () => {
    const rule: Rule = { permission: "git.push", action: "allow", scope: "session", final: true };
    expect(() => compilePolicy({ rules: [rule] })).toThrow(/one session cannot be final/);
  });
});

describe("the text of a final rule", () => {
  test.each([
    'final ask git.push "*"',
    'final deny shell.run "kubectl delete *" if not sandboxed',
    "final allow mcp:docs:*",
  ])("%s", (line) => {
    const parsed = parseRule(line);
    expect(parsed.diagnostic).toBeUndefined();
    expect(
      compilePolicy({ rules: parsed.diagnostic === undefined ? parsed.rules : [] }).definition.rules,
    ).toEqual([expect.objectContaining({ final: true })]);
  });

  test("takes an entry of a client with its action, and no word in its place", () => {
    expect(parseRule("final deny Bash(kubectl delete:*)")).toMatchObject({
      rules: [{ final: true, action: "deny" }],
    });
    for (const line of [
      "final",
      "final git.push",
      "final Bash(ls)",
      "ask final git.push",
      "finally ask git.push",
    ])
      expect(parseRule(line).diagnostic, line).toBeDefined();
  });
});

describe("an allow of a project", () => {
  const theirs = (pattern: string): Rule => ({
    ...{ permission: "git.push", pattern, action: "allow", scope: "project", yieldsToAsk: true },
  });

  test("yields to an ask of others, and answers what no other rule matches", async () => {
    expect((await decide({ rules: [theirs("origin main"), 'ask git.push "*"'] })).action).toBe("ask");
    expect((await decide({ rules: [theirs("origin main")] })).action).toBe("allow");
    const own: Rule = { permission: "git.push", action: "ask", scope: "project", yieldsToAsk: true };
    expect((await decide({ rules: [theirs("origin main"), own] })).action).toBe("allow");
  });
});

test.each(["fs.wrte", "fs.wrt*", "shell.exec", "net.*fetch2"])(
  "the permission %s is an error",
  (permission) => {
    expect(() => compilePolicy({ rules: [`deny ${permission} "*"`] })).toThrow(/no permission/);
  },
);
