import type { Rule } from "@toolkeep/core";
import { type ConditionLanguage, compilePolicy, policyContext } from "@toolkeep/core/policy";
import { cel } from "@toolkeep/policy/cel";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as arbitrary from "./policy/arbitrary.ts";

/** `npm run campaign:policy` sets 100,000. */
const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 300);
const { STRICTNESS } = arbitrary;

/** Conditions that hold, that do not, and that cannot be evaluated for the calls of the test. */
const CONDITIONS = [
  ...["true", "false", "args.missing > 1", "args.action == 'delete'", "args.action > 5"],
  ...["user == 'ada'", "'dev' in groups", "tenant == 'x'", "effect.target.contains('src')"],
  ...["now.hour('UTC') < 12", "rate('1h') > 2", "has(args.action) && args.action.size() > 3"],
] as const;

const rules = fc.array(
  fc
    .tuple(arbitrary.rule, fc.option(fc.constantFrom(...CONDITIONS), { nil: undefined, freq: 2 }))
    .map(([rule, when]): Rule => (when === undefined ? rule : { ...rule, when })),
  { minLength: 1, maxLength: 8 },
);

/** A condition that cannot be evaluated is as if it were false in an allow, and true in an ask or a deny. */
const settled: ConditionLanguage = {
  compile(text) {
    const compiled = cel.compile(text);
    if (compiled.error !== undefined) return compiled;
    return { ...compiled, holds: (facts) => orThrow(() => compiled.holds(facts)) };
  },
};

let errors = 0;

function orThrow(holds: () => boolean): boolean {
  try {
    return holds();
  } catch (error) {
    errors += 1;
    throw error;
  }
}

test("a condition that cannot be evaluated makes no decision looser than the strict answer to it", async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      fc.boolean(),
      async (written, frame, call, around, isTimed) => {
        const context = policyContext({ ...around, ...(isTimed ? { now: 1_790_000_000_000 } : {}) });
        const decided = await compilePolicy({ ...frame, rules: written, conditions: settled }).decide(
          call,
          context,
        );
        // Each rule whose condition fails on some effect, with the strict answer in its place.
        const strict = written.map((rule) => (failsFor(rule, call, context) ? strictly(rule) : rule));
        const expected = await compilePolicy({ ...frame, rules: strict, conditions: cel }).decide(
          call,
          context,
        );
        expect(STRICTNESS[decided.action]).toBeGreaterThanOrEqual(STRICTNESS[expected.action]);
      },
    ),
    { numRuns },
  );
  expect(errors).toBeGreaterThan(numRuns / 100);
});

type Deciding = Parameters<ReturnType<typeof compilePolicy>["decide"]>;

/** Whether the condition of a rule cannot be evaluated for every effect of a call. */
function failsFor({ when }: Rule, call: Deciding[0], context: Deciding[1]): boolean {
  const compiled = when === undefined ? undefined : cel.compile(when);
  if (compiled === undefined || compiled.error !== undefined) return false;
  const effects = call.effects.length === 0 ? [{ capability: "none", target: "" }] : call.effects;
  return effects.every((effect) => {
    try {
      compiled.holds({
        call,
        effect,
        context,
        now: () => context.now ?? unknown(),
        rate: () => unknown(),
      });
      return false;
    } catch {
      return true;
    }
  });
}

function unknown(): never {
  throw new Error("It is not known.");
}

function strictly({ when: _, ...rule }: Rule): Rule {
  return rule.action === "allow" ? { ...rule, when: "false" } : { ...rule, when: "true" };
}

test("nor does a policy without conditions change by a language for them", async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary.rules, arbitrary.call, arbitrary.context, async (written, call, context) => {
      const plain = await compilePolicy({ rules: written, builtIn: "off" }).decide(call, context);
      const with_ = await compilePolicy({ rules: written, builtIn: "off", conditions: cel }).decide(
        call,
        context,
      );
      expect(with_).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});
