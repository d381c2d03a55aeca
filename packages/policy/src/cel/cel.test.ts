import { CallHistory, effect, fsWrite } from "@toolkeep/core/internal";
import { type ConditionFacts, policyCall, policyContext } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { cel } from "./cel.ts";
import { containsText } from "./linear-text.ts";

const NOW = Date.parse("2026-11-16T21:30:00+01:00");

const ARGS = {
  amount: 120,
  price: 99.5,
  currency: "EUR",
  to: ["ada@corp.example", "eve@evil.example"],
  nested: { items: [{ sku: "a1" }, { sku: "b2" }], on: true },
  nothing: null,
};

function factsOf(args: Record<string, unknown> = ARGS, principal = {}): ConditionFacts {
  const call = policyCall({ tool: "pay", effects: [effect("payments.send", "acme")], args });
  return {
    call,
    effect: effect("payments.send", "acme"),
    context: policyContext({
      now: NOW,
      earlier: new CallHistory(),
      principal: { role: "agent", workspace: "main", user: "ada", groups: ["dev"], ...principal },
    }),
    now: () => NOW,
    rate: (windowMs) => windowMs / 60_000,
  };
}

function holds(text: string, facts = factsOf()): boolean | string {
  const compiled = cel.compile(text);
  if (compiled.error !== undefined) return `invalid: ${compiled.error} ${compiled.hint ?? ""}`;
  try {
    return compiled.holds(facts);
  } catch (error) {
    return `error: ${(error as Error).message.split("\n")[0]}`;
  }
}

describe("conditions", () => {
  test.each<[string, boolean]>([
    ["args.amount > 100", true],
    ["args.amount <= 100", false],
    ["args.amount >= 119.5 && args.amount < 121", true],
    ["args.price < 100 && args.price > 99", true],
    ["args.amount == 120", true],
    ["args.currency == 'EUR'", true],
    ["args.currency in ['EUR', 'CHF']", true],
    ["args.to.all(x, x.endsWith('@corp.example'))", false],
    ["args.to.exists(x, x.endsWith('@evil.example'))", true],
    ["args.to.exists_one(x, x.contains('evil'))", true],
    ["args.nested.items.all(i, i.sku.matches('^[ab][0-9]$'))", true],
    ["args.nested.items[0].sku == 'a1'", true],
    ["args.nested.on", true],
    ["has(args.amount) && !has(args.other)", true],
    ["size(args.to) == 2 && args.currency.size() == 3", true],
    ["args.nothing == null", true],
    ["args.currency.matches('U')", true],
    ["args.currency.matches('^U')", false],
    ["'matches' == 'matches' && args.currency.contains('EU')", true],
    ["!has(args.matches) && ('.matches(' + args.currency) == '.matches(EUR'", true],
    ["tool == 'pay' && effect.capability == 'payments.send' && effect.target == 'acme'", true],
    ["user == 'ada' && 'dev' in groups && role == 'agent'", true],
    ["now.hour('Europe/Berlin') == 21 && now.hour('UTC') == 20", true],
    ["now.time('Europe/Berlin') >= '18:00' && now.time('Asia/Tokyo') == '05:30'", true],
    ["now.weekday('Europe/Berlin') == 'mon' && now.weekday('Asia/Tokyo') == 'tue'", true],
    ["now.date('Asia/Tokyo') == '2026-11-17'", true],
    ["now < timestamp('2027-01-01T00:00:00Z')", true],
    ["now - duration('24h') > timestamp('2026-01-01T00:00:00Z')", true],
    ["rate('1h') >= 60 && rate('5m') == 5", true],
    ["args.amount > 1000 ? true : args.currency == 'EUR'", true],
    ["args.amount > 100 || args.missing == 1", true],
  ])("%s", (text, expected) => {
    expect(holds(text)).toBe(expected);
  });

  test.each([
    ["args.missing > 1", "missing"],
    ["args.nested.missing.deep == 1", "missing"],
    ["args.currency > 100", "no such overload"],
    ["args.constructor == 1", "constructor"],
    ["args.__proto__ == 1", "__proto__"],
    ["args.to.hasOwnProperty == 1", "hasOwnProperty"],
    ["args.to[5] == 'x'", "index"],
    ["args.nothing.x == 1", ""],
    ["args.currency", "neither true nor false"],
    ["environment == 'production'", "`environment` is not known here"],
    ["tenant == 'acme'", "`tenant` is not known here"],
  ])("%s is an error, and neither true nor false", (text, words) => {
    expect(holds(text)).toMatch(/^error: /);
    expect(holds(text)).toContain(words);
  });

  test("a user without groups is in none; without a user nothing is known of groups", () => {
    expect(holds("'dev' in groups", factsOf({}, { groups: undefined }))).toBe(false);
    const unknown = factsOf({}, { groups: undefined, user: undefined });
    expect([holds("'dev' in groups", unknown), holds("user == 'ada'", unknown)]).toEqual([
      "error: `groups` is not known here",
      "error: `user` is not known here",
    ]);
  });

  test("a call without a target has none", () => {
    const facts = { ...factsOf(), effect: { ...fsWrite(""), capability: "none" } };
    expect(holds("effect.target == ''", facts)).toMatch(/^error: .*target/);
  });

  test("a tree that is searched, files of a pattern and an unknown host are no single target", () => {
    const about = (one: ReturnType<typeof effect>) =>
      holds("effect.target.contains('x')", { ...factsOf(), effect: one });
    for (const one of [
      fsWrite("/ws/**"),
      fsWrite("/ws/*.ts"),
      effect("net.fetch", "*"),
      effect("unknown", "*"),
    ])
      expect(about(one)).toMatch(/^error: .*target/);
    expect([about(fsWrite("/ws/x")), about(effect("shell.run", "rm *"))]).toEqual([true, false]);
  });

  test("arguments that name what objects inherit hide nothing", () => {
    const args = JSON.parse('{"constructor":{"name":"Map"},"__proto__":{"amount":1},"amount":500}');
    // It is an error, which is strict, or it is seen.
    expect(["error", "true"]).toContain(
      String(holds("args.amount > 100", factsOf(args)))
        .slice(0, 5)
        .replace(":", ""),
    );
  });
});

describe("a condition is refused when the policy is read", () => {
  test.each([
    ["amount > 100", 0, "There is no variable `amount`.", "args.amount"],
    ["args.x == usr", 10, "There is no variable `usr`.", "Did you mean `user`?"],
    ["effect.tagret == 'x'", 7, "There is no field of an effect `tagret`.", "Did you mean `target`?"],
    ["args.a.startWith('x')", 7, "There is no function `startWith`.", "Did you mean `startsWith`?"],
    ["now.getHours('UTC') > 8", 4, "There is no function `getHours`.", "now.hour"],
    [
      "now.hour('Europe/Berlim') > 8",
      9,
      'There is no time zone "Europe/Berlim". Did you mean "Europe/Berlin"?',
      "",
    ],
    ["now.hour(args.zone) > 8", 4, "needs the name of a time zone in quotes", ""],
    ["rate('1 hour') > 8", 0, "`rate` needs a window", "rate("],
    ["rate(args.window) > 8", 0, "`rate` needs a window", ""],
    ["args.a.matches('(a)\\\\1')", 15, "no back-references", ""],
    ["args.a.matches('(?=a)')", 15, "no look-around", ""],
    ["args.a.matches(args.b)", 7, "needs an expression in quotes", ""],
    ["args.a.all(x, x.all(y, y))", 16, "lists in lists", "several rules"],
    ["args.a.map(x, x)", 7, "There is no function `map`.", ""],
    ["args.a.split('')", 7, "There is no function `split`.", ""],
    ["args.a.all(user, user == 'x')", 7, "has a meaning already", ""],
    ["duration(args.x) > duration('1h')", 0, "`duration` needs a text", ""],
    ["args.a.linearm('x')", 7, "There is no function `linearm`.", ""],
    ["args.a >", 8, "", ""],
    ["args.a && ", 10, "", ""],
    ["'text'", 0, "neither true nor false", ""],
    ["user > 5", 0, "no such overload", ""],
    ["args.?a == 1", 5, "", ""],
    ["x".repeat(2_000), 1_000, "at most 1000 characters", ""],
    ["(".repeat(300), 50, "", ""],
  ])("%s", (text, offset, error, hint) => {
    const compiled = cel.compile(text);
    expect(compiled.error).toContain(error);
    if (compiled.error !== undefined && error !== "") {
      expect(compiled.hint ?? "").toContain(hint);
      expect(compiled.offset).toBe(offset);
    }
  });
});

describe("time", () => {
  const timed = (text: string, args: Record<string, unknown>) => {
    const facts = factsOf(args);
    const start = process.cpuUsage();
    const outcome = holds(text, facts);
    const { user, system } = process.cpuUsage(start);
    return { outcome, ms: (user + system) / 1_000 };
  };

  test.each([
    ["args.a.contains(args.b)", { a: "a".repeat(400_000), b: `b${"a".repeat(200_000)}` }],
    ["args.a.matches('^(a+)+$')", { a: `${"a".repeat(100_000)}!` }],
    ["args.a.matches('(a|a)*b')", { a: "a".repeat(100_000) }],
    ["args.l.all(x, x != 'z')", { l: Array.from({ length: 100_000 }, () => "a") }],
    ["args.l.exists(x, x in args.l && x == 'z')", { l: Array.from({ length: 50_000 }, (_, n) => `${n}`) }],
    [
      "args.l.exists(x, args.a.contains(x))",
      { l: Array.from({ length: 5_000 }, () => "b"), a: "a".repeat(1e6) },
    ],
    ["args.l == args.m", { l: Array(200_000).fill(1), m: Array(200_000).fill(1) }],
  ])("%s takes no more than the arguments are long", (text, args) => {
    timed(text, { a: "x", b: "y", l: [], m: [] });
    expect(timed(text, args).ms).toBeLessThan(5_000);
  });

  test("lists that are too long to be held against all arguments are an error, and others are not", () => {
    const text = "args.l.exists(x, args.a.contains(x))";
    expect(timed(text, { l: ["b"], a: "abc".repeat(10_000) }).outcome).toBe(true);
    expect(timed(text, { l: Array(5_000).fill("b"), a: "a".repeat(10_000) }).outcome).toMatch(
      /^error: .*too long/,
    );
  });

  test("the search for a text is that of the language", () => {
    const wanted = `${"ab".repeat(60)}c`;
    for (const text of [`${"ab".repeat(900)}c${"ab".repeat(900)}`, "ab".repeat(2_000), wanted, ""])
      expect(containsText(text, wanted)).toBe(text.includes(wanted));
    expect(containsText("a".repeat(200_000), "")).toBe(true);
  });
});
