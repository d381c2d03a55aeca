import { describe, expect, test } from "vitest";
import { effect } from "../../contract/call/effect.ts";
import type { ConditionFacts, ConditionLanguage } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compilePolicy } from "../compile-policy.ts";
import { CallHistory } from "./call-history.ts";
import { explainText } from "./explanation.ts";
import { policyCall, policyContext } from "./policy-call.ts";

/** The words of a language of the test's own: `big`, `late`, `busy`, `broken`, `odd`. */
const WORDS: Readonly<Record<string, (facts: ConditionFacts) => boolean>> = {
  big: ({ call }) => Number(call.args["amount"]) > 100,
  late: (facts) => new Date(facts.now()).getUTCHours() >= 18,
  busy: (facts) => facts.rate(3_600_000) >= 3,
  broken: () => {
    throw new Error("no such key");
  },
  odd: () => "yes" as never,
};

const conditions: ConditionLanguage = {
  compile(text) {
    const holds = WORDS[text];
    if (holds === undefined) return { error: `There is no ${text}.`, offset: 2, hint: "Did you mean `big`?" };
    return { longestWindowMs: text === "busy" ? 3_600_000 : 0, holds };
  },
};

const pay = (amount: unknown, id = "c") =>
  policyCall({ id, tool: "pay", effects: [effect("payments.send", "acme")], args: { amount } });

const decided = async (rules: readonly (Rule | string)[], amount: unknown = 1, context = policyContext()) =>
  compilePolicy({ rules, conditions, builtIn: "off" }).decide(pay(amount), context);

describe("`when` of a rule", () => {
  test("decides by the arguments, in lines and in objects", async () => {
    const line = 'ask payments.send "*" when "big"';
    const object: Rule = { permission: "payments.send", pattern: "*", action: "ask", when: "big" };
    for (const rule of [line, object]) {
      expect(await decided(["allow payments.send", rule], 101)).toMatchObject({
        action: "ask",
        matchedBy: line,
      });
      expect(await decided(["allow payments.send", rule], 100)).toMatchObject({ action: "allow" });
    }
  });

  test.each(["broken", "odd"])(
    "that is %s never satisfies an allow, and always an ask or a deny",
    async (when) => {
      expect(await decided([`allow payments.send when "${when}"`])).toMatchObject({
        action: "ask",
        layer: "default",
      });
      for (const action of ["ask", "deny"])
        expect(
          await decided(["allow payments.send", `${action} payments.send "*" when "${when}"`]),
        ).toMatchObject({
          action,
          reason: expect.stringContaining("Its condition could not be evaluated: "),
        });
    },
  );

  test("without a language is an error when the policy is compiled", () => {
    const rules = ['ask payments.send when "big"'];
    expect(() => compilePolicy({ rules })).toThrow(/`when` needs a language.*@toolkeep\/policy\/cel/);
    expect(() => compilePolicy({ conditions, rules }).withRules(['deny pay when "broken"'])).not.toThrow();
    // Equal rules that were compiled with a language are not taken for these.
    expect(() => compilePolicy({ rules })).toThrow(/needs a language/);
  });

  test("that is no expression is an error with its place", () => {
    expect(() => compilePolicy({ conditions, rules: ['deny pay when "bigg"'] })).toThrow(
      "its condition is invalid at character 3: There is no bigg. Did you mean `big`?",
    );
    expect(() =>
      compilePolicy({ conditions, rules: [{ permission: "pay", action: "deny", when: " " }] }),
    ).toThrow("`when` is an expression");
  });

  test("asks each time: an answer about one amount is none about another", async () => {
    const always = policyContext({ isApproved: () => true });
    const rules = ["allow payments.send", 'ask payments.send "*" when "big"'];
    expect(await decided(rules, 500, always)).toMatchObject({ action: "ask", neverRemember: true });
  });

  test("of time and of earlier calls is recorded with the decision, and shown", async () => {
    const history = new CallHistory();
    const now = Date.UTC(2026, 10, 16, 20);
    for (let index = 0; index < 4; index += 1) history.add(`${index}`, now - index * 1_800_000, pay(1));
    const policy = compilePolicy({
      conditions,
      rules: [
        "allow payments.send",
        'ask payments.send "*" when "busy"',
        'deny payments.send "*" when "late"',
      ],
    });
    const context = policyContext({ now, earlier: history });
    expect(policy.longestWindowMs).toBe(3_600_000);
    expect(await policy.decide(pay(1), context)).toMatchObject({
      action: "deny",
      facts: { now, rates: { 'payments.send "*" 3600s': 4 } },
    });
    const text = explainText(await policy.explain(pay(1), context));
    expect(text).toContain("at        2026-11-16T20:00:00.000Z");
    expect(text).toContain('counted   4: payments.send "*" 3600s');
  });

  test("that does not hold is shown in an explanation, with the reason", async () => {
    const rules = ['allow payments.send when "big"', 'allow payments.send "*" when "broken"'];
    const { steps, decision } = await compilePolicy({ rules, conditions }).explain(pay(1), policyContext());
    expect(decision).toMatchObject({ action: "ask", layer: "default" });
    expect(steps.map(({ said, reason }) => `${said}: ${reason}`)).toEqual(
      expect.arrayContaining([
        "nothing: Its condition does not hold.",
        "nothing: Its condition could not be evaluated: no such key.",
      ]),
    );
  });

  test("of time where it is not known holds for an ask and not for an allow", async () => {
    expect(await decided(["allow payments.send", 'ask payments.send "*" when "late"'])).toMatchObject({
      action: "ask",
    });
    expect(await decided(['allow payments.send when "busy"'])).toMatchObject({ layer: "default" });
  });

  test("costs nothing where no rule has one", async () => {
    const policy = compilePolicy(["allow payments.send"]);
    const context = policyContext();
    const read: string[] = [];
    const watched = new Proxy(context, {
      get(target, key) {
        read.push(String(key));
        return Reflect.get(target, key);
      },
    });
    await policy.decide(pay(1), watched);
    expect(read.filter((key) => key === "now" || key === "earlier")).toEqual([]);
    expect(policy.longestWindowMs).toBeUndefined();
  });
});

describe("earlier calls", () => {
  const counter = { matches: ({ found }: ReturnType<typeof pay>) => found.name === "pay" };

  test("count once each, within a window, up to the decision", () => {
    const history = new CallHistory();
    history.add("a", 1_000, pay(1));
    history.add("a", 1_000, pay(1));
    const then = history.upToHere();
    history.add("b", 2_000, pay(1));
    // A clock that was set back.
    history.add("c", 500, pay(1));
    expect([history.count(counter, 0), history.count(counter, 2_000), then.count(counter, 0)]).toEqual([
      3, 2, 1,
    ]);
    history.add("d", 3_000, policyCall({ tool: "other", effects: [] }));
    expect(history.count(counter, 0)).toBe(3);
  });

  test("are matched once each, and not kept without end", () => {
    const history = new CallHistory();
    let matched = 0;
    const counting = {
      matches() {
        matched += 1;
        return true;
      },
    };
    for (let index = 0; index < 12_000; index += 1) {
      history.add(`${index}`, index, pay(1));
      if (index % 100 === 0) history.count(counting, Math.max(0, index - 1_000));
    }
    expect(matched).toBeLessThanOrEqual(12_000);
    expect(history.count(counter, 11_000)).toBe(1_000);
    expect(() => history.count(counter, 0)).toThrow("more calls were made than are counted");
  });
});
