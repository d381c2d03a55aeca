import { type ApprovalAnswer, createRegistry, createSession, type Rule } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import { compilePolicy, type Policy } from "@toolkeep/core/policy";
import { stubTool } from "@toolkeep/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conclusionOf } from "../packages/core/src/policy/conclusion.test.kit.ts";
import * as arbitrary from "./policy/arbitrary.ts";

/** `npm run campaign:policy` sets 100,000. */
const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 500);
const { STRICTNESS } = arbitrary;

async function actionOf(policy: Pick<Policy, "decide">, ...received: Parameters<Policy["decide"]>) {
  return (await policy.decide(...received)).action;
}

test("a deny of the manifest is loosened by no rule, mode, stage or approval", async () => {
  const deny = arbitrary.rule.map((made): Rule => ({ ...made, action: "deny", scope: "manifest" }));
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(
      deny,
      arbitrary.rules,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      async (final, rules, frame, call, around) => {
        const variables = { workspace: ["/ws"] };
        if (
          (await actionOf(compilePolicy({ rules: [final], builtIn: "off", variables }), call, around)) !==
          "deny"
        )
          return;
        hits += 1;
        expect(await actionOf(compilePolicy({ ...frame, rules: [...rules, final] }), call, around)).toBe(
          "deny",
        );
      },
    ),
    { numRuns },
  );
  expect(hits).toBeGreaterThan(numRuns / 100);
});

test("a final ask is turned into an allow by no rule that is not final, no mode, stage or approval", async () => {
  const ask = arbitrary.rule.map(
    (made): Rule => ({ ...made, action: "ask", scope: "manifest", final: true }),
  );
  const others = arbitrary.rules.map((made) => made.map(({ final: _, ...rule }): Rule => rule));
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(
      ask,
      others,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      async (final, rules, frame, call, around) => {
        const alone = compilePolicy({ rules: [final], builtIn: "off", variables: { workspace: ["/ws"] } });
        if ((await alone.decide(call, around)).isFinal !== true) return;
        hits += 1;
        const policy = compilePolicy({ ...frame, rules: [...rules, final] });
        expect(await actionOf(policy, call, around)).not.toBe("allow");
      },
    ),
    { numRuns },
  );
  expect(hits).toBeGreaterThan(numRuns / 100);
});

const executed: string[] = [];
const registry = createRegistry();
registry.register(
  stubTool("writer", (args) => void executed.push(String(args["path"])), {
    requires: { fs: { write: ["/**"] } },
    effects: (args) => [fsWrite(String(args["path"]))],
    gated: false,
  }).tool,
);

test("nor by an answer, edited arguments or a hook: what the manifest denies is never executed", async () => {
  const DENIED = "/ws/secret/x";
  const path = fc.constantFrom("/ws/a", "/ws/b", DENIED);
  const answer: fc.Arbitrary<ApprovalAnswer> = fc.oneof(
    fc.constantFrom<ApprovalAnswer>(
      { verdict: "once" },
      { verdict: "always", scope: "project" },
      { verdict: "reject" },
    ),
    arbitrary.rule.map((rule): ApprovalAnswer => ({ verdict: "rules", rules: [rule] })),
    path.map((to): ApprovalAnswer => ({ verdict: "edit", arguments: { path: to } })),
  );
  const final: Rule = { permission: "fs.write", pattern: "/ws/secret/**", action: "deny" };
  await fc.assert(
    fc.asyncProperty(
      arbitrary.rules,
      arbitrary.frame,
      fc.array(path, { minLength: 1, maxLength: 3 }),
      answer,
      fc.option(path, { nil: undefined }),
      async (rules, { variables: _variables, ...frame }, paths, said, rewritten) => {
        executed.length = 0;
        const session = await createSession({
          registry,
          variables: { workspace: ["/ws"] },
          policy: { ...frame, rules: [...rules, final] },
          approver: async () => said,
          gates: [
            {
              name: "rewrites",
              before: () => (rewritten === undefined ? true : { arguments: { path: rewritten } }),
            },
          ],
        });
        for (const [index, to] of paths.entries())
          await session.call({ id: String(index), name: "writer", arguments: { path: to } });
        expect(executed).not.toContain(DENIED);
      },
    ),
    { numRuns },
  );
});

test("one deny more never allows more", async () => {
  const deny = arbitrary.rule.map((made): Rule => ({ ...made, action: "deny" }));
  await fc.assert(
    fc.asyncProperty(
      deny,
      arbitrary.rules,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      async (more, rules, frame, call, around) => {
        const before = await actionOf(compilePolicy({ ...frame, rules }), call, around);
        const after = await actionOf(compilePolicy({ ...frame, rules: [...rules, more] }), call, around);
        expect(STRICTNESS[after]).toBeGreaterThanOrEqual(STRICTNESS[before]);
      },
    ),
    { numRuns },
  );
});

test("what a child may do is never more than what its parent may", async () => {
  const path = fc.constantFrom("/ws/src/a.ts", "/ws/docs/b.md", "/ws/.env");
  await fc.assert(
    fc.asyncProperty(
      arbitrary.rules,
      arbitrary.frame,
      arbitrary.rules,
      arbitrary.frame,
      path,
      async (above, { variables: _a, ...outer }, below, { variables: _b, ...inner }, to) => {
        const variables = { workspace: ["/ws"] };
        const request = { id: "c", name: "writer", arguments: { path: to } };
        const parent = await createSession({ registry, variables, policy: { ...outer, rules: above } });
        const child = await createSession({
          registry,
          variables,
          parent: parent.childContext("child"),
          policy: { ...inner, rules: below },
        });
        // Headless: what runs is what is allowed without asking. The child goes first, so that it finds the parent as it is.
        executed.length = 0;
        await child.call(request);
        const byChild = executed.length;
        await parent.call(request);
        expect(executed.length - byChild).toBeGreaterThanOrEqual(byChild);
      },
    ),
    { numRuns },
  );
});

test("without an approver, a call that asks does not run", async () => {
  const path = fc.constantFrom("/ws/src/a.ts", "/ws/docs/b.md", "/ws/.env");
  let asks = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitrary.rules,
      arbitrary.frame,
      path,
      async (rules, { variables: _variables, ...frame }, to) => {
        const request = { id: "c", name: "writer", arguments: { path: to } };
        const session = await createSession({
          registry,
          variables: { workspace: ["/ws"] },
          policy: { ...frame, rules },
        });
        const explained = await session.explain(request);
        if (explained.explanation === undefined) throw new Error(explained.failure.message);
        const { decision } = explained.explanation;
        executed.length = 0;
        const { ok } = await session.call(request);
        expect([ok, executed.length]).toEqual(decision.action === "allow" ? [true, 1] : [false, 0]);
        if (decision.action === "ask") asks += 1;
      },
    ),
    { numRuns },
  );
  expect(asks).toBeGreaterThan(numRuns / 100);
});

test("neither the order of the rules nor rules that cannot match mean anything", async () => {
  const idle: fc.Arbitrary<Rule> = fc.record({
    permission: fc.constantFrom("printer", "mail.send", "mcp:other:*", "disk.chmod"),
    pattern: fc.constantFrom("**", "/ws/**", "*"),
    action: arbitrary.action,
    scope: arbitrary.scope,
  });
  const shuffled = fc.tuple(arbitrary.rules, fc.array(idle, { maxLength: 5 })).chain(([rules, idles]) => {
    const all = [...rules, ...idles];
    return fc.tuple(fc.constant(rules), fc.shuffledSubarray(all, { minLength: all.length }));
  });
  await fc.assert(
    fc.asyncProperty(
      shuffled,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      async ([rules, others], frame, call, around) => {
        const one = await compilePolicy({ ...frame, rules }).decide(call, around);
        expect(await compilePolicy({ ...frame, rules: others }).decide(call, around)).toEqual(one);
      },
    ),
    { numRuns },
  );
});

test("every decision has an explanation that comes to the same when it is followed again", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitrary.rules,
      arbitrary.frame,
      arbitrary.call,
      arbitrary.context,
      async (rules, frame, call, around) => {
        const policy = compilePolicy({ ...frame, rules });
        const decision = await policy.decide(call, around);
        const explanation = await policy.explain(call, around);
        expect(explanation.decision).toEqual(decision);
        expect(conclusionOf(explanation.steps)).toBe(decision.action);
        expect(explanation.changes.length > 0).toBe(decision.action !== "allow");
        expect(await compilePolicy({ ...frame, rules }).decide(call, around)).toEqual(decision);
      },
    ),
    { numRuns },
  );
});
