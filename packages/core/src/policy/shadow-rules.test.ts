import { describe, expect, test } from "vitest";
import { effect, fsRead } from "../contract/call/effect.ts";
import type { PolicyDefinition, Watchdog } from "../contract/policy/decision.ts";
import { compilePolicy } from "./compile-policy.ts";
import { inheritFrom } from "./inherit.ts";
import { policyCall, policyContext } from "./rules/policy-call.ts";

const push = policyCall({ tool: "bash", effects: [effect("git.push", "origin main")] });
const look = policyCall({ tool: "bash", effects: [fsRead("/ws/a.ts")] });
const unknown = policyCall({ tool: "bash", effects: [effect("shell.run", "foo --bar")] });
const OBJECTS: Watchdog = { name: "w", evaluate: () => ({ action: "ask", reason: "it objects" }) };

async function decide(definition: PolicyDefinition, call = push, known = {}) {
  return compilePolicy({ builtIn: "off", ...definition }).decide(call, policyContext({ now: 0, ...known }));
}

const SHADOWS = [
  'final deny git.push "*" because "later"',
  'final ask git.push "*"',
  'final ask git.push "*" by 2 of group owners',
  "allow *",
  "final allow *",
  "final deny *",
  'deny fs.read "**"',
];

describe("rules on trial", () => {
  const held: readonly PolicyDefinition[] = [
    {},
    { rules: ["allow *"] },
    { rules: ["allow fs.read", "ask git.push", "deny shell.run"] },
    { rules: ['final ask git.push "*"', "final deny shell.run"] },
    { rules: ["allow *"], watchdogs: [OBJECTS] },
    { stages: { name: "s", evaluate: () => "approve" } },
    { stages: { name: "s", evaluate: async () => ({ verdict: "deny", reason: "no" }) } },
  ];
  const modes: readonly PolicyDefinition[] = [
    ...([{ mode: "ask" }, { mode: "yolo" }, { mode: "observe" }] as const),
    { mode: "allowlist", allowList: ["bash(foo --bar)"] },
  ];
  test("change no decision, in any mode", async () => {
    let noted = 0;
    for (const definition of held.flatMap((one) => modes.map((mode) => ({ ...one, ...mode }))))
      for (const line of SHADOWS)
        for (const call of [push, look, unknown])
          for (const known of [{}, { isApproved: async () => true }]) {
            const { shadow, ...decision } = await decide({ ...definition, shadow: [line] }, call, known);
            expect(decision).toEqual(await decide(definition, call, known));
            if (shadow !== undefined) noted += 1;
          }
    expect(noted).toBeGreaterThan(0);
  });

  test.each([
    ["stricter", { rules: ["allow git.push"] }, SHADOWS[0], "deny"],
    ["final, where a mode allows", { mode: "yolo" }, SHADOWS[1], "ask"],
    ["final, where all is observed", { mode: "observe", rules: ["allow *"] }, SHADOWS[0], "deny"],
    ["of other approvers", {}, SHADOWS[2], "ask"],
    ["looser", {}, "allow git.push", "allow"],
    ["the same", {}, "ask git.push", undefined],
    ["overridden by a rule that holds", { rules: ["final deny git.push"] }, "allow git.push", undefined],
    [
      "about what a watchdog objects to",
      { rules: ["ask git.push"], watchdogs: [OBJECTS] },
      "allow git.push",
      undefined,
    ],
    [
      "about what a stage would approve",
      { stages: { name: "s", evaluate: () => "approve" } },
      "ask git.push",
      undefined,
    ],
    ["about something else", { rules: ["allow git.push"] }, 'final deny git.push "upstream *"', undefined],
  ] as const)("note what they would change: %s", async (_what, definition, line = "", action) => {
    expect((await decide({ ...definition, shadow: [line] } as PolicyDefinition)).shadow?.action).toBe(action);
  });

  test("hold no call up when they fail", async () => {
    const conditions = {
      compile: () => ({
        longestWindowMs: 0,
        holds(): never {
          throw new Error("broken");
        },
      }),
    };
    const shadow = [{ permission: "git.push", action: "deny", when: "x" }] as const;
    const decision = await decide({ rules: ["allow *"], shadow, conditions });
    expect(decision).toMatchObject({ action: "allow", shadow: { action: "deny" } });
    const isApproved = () => Promise.reject(new Error("broken"));
    expect(
      await decide({ rules: ["allow *"], shadow: ["ask git.push"] }, push, { isApproved }),
    ).toMatchObject({
      action: "allow",
      shadow: { action: "deny", reason: expect.stringContaining("broken") },
    });
  });

  test("that are invalid are an error when they are compiled", () => {
    expect(() => compilePolicy({ shadow: ["final deny"] })).toThrow(/invalid|rule/i);
  });

  test("stay on trial when answers add rules, and for subagents", async () => {
    const of = (definition: PolicyDefinition) => compilePolicy({ builtIn: "off", ...definition });
    const parent = of({ shadow: [SHADOWS[0] ?? ""] }).withRules(["allow *"]);
    expect((await parent.decide(push, policyContext())).shadow?.action).toBe("deny");
    const child = inheritFrom(parent, of({ rules: ["ask git.push"], shadow: ["ask fs.read"] }));
    const [pushed, looked] = [
      await child.decide(push, policyContext()),
      await child.decide(look, policyContext()),
    ];
    expect(pushed).toMatchObject({ action: "ask", shadow: { action: "deny" } });
    expect(looked.shadow).toBeUndefined();
  });
});
