import fc from "fast-check";
import { expect, test } from "vitest";
import { fsRead, fsWrite } from "../contract/call/effect.ts";
import type { Rule } from "../contract/policy/rule.ts";
import { compilePolicy } from "./compile-policy.ts";
import { policyCall, policyContext } from "./rules/policy-call.ts";

const anyRule = fc.record(
  {
    permission: fc.constantFrom("fs.read", "fs.write", "fs.*", "*", "edit", "ed*"),
    pattern: fc.constantFrom("**", "/a/**", "/a/b", "/a/*", "{workspace}/**", "/a/{b,c}/**"),
    action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
    scope: fc.constantFrom("manifest" as const, "project" as const, "session" as const),
    if: fc.constantFrom(["untrusted"], []),
  },
  { requiredKeys: ["permission", "action"] },
) as fc.Arbitrary<Rule>;

test("rules that are added decide as if they had been there from the beginning", () => {
  const context = policyContext();
  const calls = ["/a/b", "/a/c/d", "/ws/x", "/z"].flatMap((path) =>
    [fsRead(path), fsWrite(path), { ...fsRead(`${path}/**`), partial: true as const }].map((effect) =>
      policyCall({ tool: "edit", effects: [effect] }),
    ),
  );
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 8 }), fc.nat(8), fc.nat(8), (rules, one, other) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)];
      const settings = { builtIn: "off", variables: { workspace: ["/ws"] } } as const;
      const whole = compilePolicy({ ...settings, rules });
      const grown = compilePolicy({ ...settings, rules: rules.slice(0, first) })
        .withRules(rules.slice(first, second))
        .withRules(rules.slice(second));
      expect(grown.definition).toEqual(whole.definition);
      for (const call of calls) {
        const decision = whole.decide(call, context);
        expect(grown.decide(call, context)).toEqual(decision);
        expect(grown.leavesOut?.(call, context).toSorted()).toEqual(
          whole.leavesOut?.(call, context).toSorted(),
        );
        for (const path of ["/a", "/a/b", "/ws/x"])
          expect(grown.pathDenies?.(call, context)?.at(path)).toEqual(
            whole.pathDenies?.(call, context)?.at(path),
          );
      }
    }),
  );
});

test("an added rule does not compile the others again", () => {
  let reads = 0;
  const watched: Rule = {
    permission: "fs.read",
    get pattern() {
      reads += 1;
      return "/a/**";
    },
    action: "allow",
  };
  const policy = compilePolicy([watched]);
  expect(reads).toBeGreaterThan(0);
  reads = 0;
  const call = policyCall({ tool: "edit", effects: [fsRead("/b/c")] });
  const grown = policy.withRules(["deny fs.write /b/**"]).withRules(["allow fs.read /b/**"]);
  expect(grown.decide(call, policyContext())).toMatchObject({ action: "allow" });
  expect(() => grown.withRules([{ permission: "fs.read", action: "alow" as "allow" }])).toThrow(/action/);
  expect(reads).toBe(0);
});
