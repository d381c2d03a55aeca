import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  effect,
  fsRead,
  fsWrite,
  joinCommand,
  netFetch,
  shellRun,
  splitCommand,
} from "../contract/effect.ts";
import { compileGlob } from "./glob.ts";
import { compileRequirements } from "./requirements.ts";
import { compileRules } from "./rule-set.ts";

test.each([
  ["path", "/repo/**", ["/repo", "/repo/a", "/repo/a/b"], ["/works", "/other/a"]],
  ["path", "/repo/*.ts", ["/repo/a.ts"], ["/repo/a/b.ts", "/repo/a.js"]],
  ["path", "/a/**/b", ["/a/b", "/a/x/y/b"], ["/a/xb"]],
  ["path", "**/.env", ["/.env", "/a/b/.env"], ["/a/.envrc"]],
  ["path", "/{src,test}/?.ts", ["/src/a.ts", "/test/b.ts"], ["/src/ab.ts", "/docs/a.ts"]],
  ["text", "*.example", ["a.example", "a.b.example"], ["example", "a.example.com"]],
  ["text", "git status *", ["git status ."], ["git push"]],
  ["text", "rm -rf /*", ["rm -rf /etc/passwd"], ["rm -r /"]],
  ["text", "a.b", ["a.b"], ["axb"]],
  ["path", "**", ["", "/any/thing"], []],
] as const)("a %s pattern %j", (kind, pattern, matching, others) => {
  const { matches } = compileGlob(pattern);
  expect(matching.filter((target) => matches(target, kind))).toEqual(matching);
  expect(others.filter((target) => matches(target, kind))).toEqual([]);
});

test("a target that is a pattern is covered only where that is plain, and forbidden wherever it might be", () => {
  const { matches } = compileGlob("/repo/**");
  expect(["/repo/**", "/repo/a/*"].filter((target) => matches(target, "path"))).toHaveLength(2);
  expect(compileGlob("/repo/*").matches("/repo/**", "path")).toBe(false);
  const { mayMatch } = compileGlob("/repo/secret/**");
  expect(["/repo/**", "/**", "/repo/secret/a*"].filter((target) => mayMatch(target, "path"))).toHaveLength(3);
  expect(mayMatch("/other/**", "path")).toBe(false);
});

test("matching stays fast, whatever the path", () => {
  const { matches } = compileGlob("/**/a/**/a/**/a/**/*.pem");
  const started = performance.now();
  expect(matches(`/${"a/".repeat(20_000)}x`, "path")).toBe(false);
  expect(matches("a".repeat(40_000), "text")).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});

describe("requirements", () => {
  test("variables are expanded; one without a value matches nothing; an unknown one is a mistake", () => {
    const requires = { fs: { read: ["{workspace}/**"], write: ["{workspace}/{src,test}/**"] } };
    const here = compileRequirements(requires, { workspace: ["/a", "/b"] });
    expect(here.covers(fsRead("/b/x"))).toBe(true);
    expect(here.covers(fsWrite("/a/src/x"))).toBe(true);
    expect(here.covers(fsWrite("/a/docs/x"))).toBe(false);
    const nowhere = compileRequirements(requires, {});
    expect(nowhere.covers(fsRead("/a/x"))).toBe(false);
    expect(nowhere.effects).toEqual([]);
    expect(() => compileRequirements({ fs: { read: ["{workspce}/**"] } }, {})).toThrow(/workspce/);
  });

  test("a tool covers all that it is taken to do", () => {
    const requires = {
      fs: { read: ["/r/**"], write: ["/w/{a,b}/*"] },
      net: { hosts: ["*.example"] },
      shell: [{ cmd: "git", args: ["log", { prefix: "--" }, { wildcard: true as const }] }, { cmd: "ls" }],
      capabilities: ["calendar.update"],
    };
    const { effects, covers } = compileRequirements(requires, {});
    expect(effects.length).toBeGreaterThan(5);
    for (const one of effects) expect(covers(one)).toBe(true);
    expect(covers(netFetch("a.example"))).toBe(true);
    expect(covers(shellRun(["git", "log", "--oneline", "x"]))).toBe(true);
    expect(covers(shellRun(["git", "push"]))).toBe(false);
    expect(covers(shellRun(["git", "log", "--a b"]))).toBe(false);
    expect(covers(effect("calendar.update", "x"))).toBe(true);
    expect(covers(effect("calendar.delete", "x"))).toBe(false);
  });

  test("a command line is taken apart into the very words it was made from", () => {
    const word = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (argv) => {
        expect(splitCommand(joinCommand(argv))).toEqual(argv);
      }),
    );
  });
});

describe("rules", () => {
  const tool = { name: "edit" } as never;
  const judge = (rules: Parameters<typeof compileRules>[0], target = "/a/b") =>
    compileRules(rules).judge(tool, fsWrite(target))?.action;

  test("a deny that matches is final, however much more an allow says", () => {
    const deny = { permission: "fs.write", pattern: "**/.env", action: "deny" } as const;
    const allow = { permission: "fs.write", pattern: "/a/**", action: "allow" } as const;
    expect(judge([allow, deny], "/a/.env")).toBe("deny");
    expect(judge([deny, allow], "/a/.env")).toBe("deny");
    expect(judge([allow, deny], "/a/b")).toBe("allow");
    expect(judge([{ permission: "*", pattern: "**/.env", action: "deny" }, allow], "/a/.env")).toBe("deny");
  });

  test("the longer literal wins within a family, and of two as long the stricter", () => {
    const all = { permission: "fs.write", action: "ask" } as const;
    expect(judge([{ permission: "fs.write", pattern: "/a/**", action: "allow" }, all])).toBe("allow");
    const pair = [
      { permission: "fs.write", pattern: "/a/*", action: "allow" },
      { permission: "fs.write", pattern: "/a/?", action: "ask" },
    ] as const;
    expect(judge(pair)).toBe("ask");
  });

  test("variables stand for their values in rules too; one without a value matches nothing", () => {
    const rules = [{ permission: "fs.write", pattern: "{workspace}/**", action: "allow" }] as const;
    const judged = (variables: object) =>
      compileRules(rules, variables).judge(tool, fsWrite("/ws/a"))?.action;
    expect(judged({ workspace: ["/other", "/ws"] })).toBe("allow");
    expect(judged({})).toBeUndefined();
    expect(() => compileRules([{ permission: "x", pattern: "{workspce}/**", action: "allow" }])).toThrow(
      /workspce/,
    );
  });

  test("no allow of a tool defeats a deny of what it does, nor the other way round", () => {
    expect(
      judge([
        { permission: "edit", pattern: "/a/b", action: "allow" },
        { permission: "fs.write", action: "deny" },
      ]),
    ).toBe("deny");
    expect(
      judge([
        { permission: "edit", action: "deny" },
        { permission: "fs.write", pattern: "/a/b", action: "allow" },
      ]),
    ).toBe("deny");
  });

  test("a rule for everything is the last to be asked; no rule says nothing", () => {
    expect(
      judge([
        { permission: "*", action: "ask" },
        { permission: "edit", action: "allow" },
      ]),
    ).toBe("allow");
    expect(judge([{ permission: "*", action: "deny" }])).toBe("deny");
    expect(judge([])).toBeUndefined();
  });

  test("the order in which rules are written means nothing", () => {
    const rule = fc.record({
      permission: fc.constantFrom("edit", "fs.write", "*"),
      pattern: fc.constantFrom("/a/**", "/a/b", "**", "/c"),
      action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
    });
    fc.assert(
      fc.property(fc.array(rule), fc.nat(), (rules, seed) => {
        const shuffled = rules.toSorted(
          (a, b) => ((JSON.stringify(a).length * seed) % 7) - ((JSON.stringify(b).length * seed) % 7),
        );
        expect(judge(shuffled)).toBe(judge(rules));
      }),
    );
  });

  test("a rule that is none is a mistake", () => {
    expect(() => compileRules([{ permission: "", action: "allow" }])).toThrow(/permission/);
    expect(() => compileRules([{ permission: "x", action: "maybe" as never }])).toThrow(/allow, ask or deny/);
    expect(() => compileRules([{ permission: "x", patern: "y", action: "allow" } as never])).toThrow(
      /patern/,
    );
    expect(() => compileRules({} as never)).toThrow(/list/);
  });
});
