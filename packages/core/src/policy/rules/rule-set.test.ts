import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effect, fsRead, fsWrite, netFetch, shellRun } from "../../contract/call/effect.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compilePolicy } from "../compile-policy.ts";
import { type PolicyCallInput, policyCall, policyContext } from "./policy-call.ts";

const WORKSPACE = { workspace: ["/ws"] };

/** What rules alone decide about a call: `undefined` if none matches. */
async function evaluate(rules: readonly Rule[], call: Partial<PolicyCallInput> = {}, known = {}) {
  const policy = compilePolicy({ rules, builtIn: "off", variables: WORKSPACE });
  const input = policyCall({ tool: "edit", effects: [fsWrite("/a/b")], ...call });
  const { action, layer } = await policy.decide(input, policyContext(known));
  return layer === "rule" ? action : undefined;
}

const rule = (words: string, more: Partial<Rule> = {}): Rule => {
  const [action, permission, pattern] = words.split(/ (.+?)(?: (.+))?$/);
  return { action, permission, ...(pattern === undefined ? {} : { pattern }), ...more } as Rule;
};

describe("a rule is a permission, a pattern and an action", () => {
  test("[C74] the permission may be a tool, a capability, a group of them, or everything", async () => {
    for (const permission of ["edit", "fs.write", "fs.*", "*", "ed*"])
      expect(await evaluate([rule(`deny ${permission}`)])).toBe("deny");
    for (const permission of ["write", "fs.read", "net.*", "edit.b"])
      expect(await evaluate([rule(`deny ${permission}`)])).toBeUndefined();
  });

  test("[C74] or an action of a tool, or the address of one on a server", async () => {
    const git = { tool: "git_manager", actionArgument: "action", effects: [] };
    const push = { ...git, args: { action: "push" } };
    expect(await evaluate([rule("deny git_manager.push")], push)).toBe("deny");
    expect(
      await evaluate([rule("deny git_manager.push")], { ...git, args: { action: "log" } }),
    ).toBeUndefined();
    expect(await evaluate([rule("allow git_manager"), rule("ask git_manager.push")], push)).toBe("ask");
    const remote = { serverId: "github", tool: "get_issue" };
    const mcp = {
      tool: "github_get_issue",
      source: "mcp",
      remote,
      effects: [effect("mcp.call", "x")],
    } as const;
    expect(await evaluate([rule("allow mcp:github:get_*")], mcp)).toBe("allow");
    expect(await evaluate([rule("deny mcp:github:get_issue"), rule("allow mcp:github:*")], mcp)).toBe("deny");
    expect(await evaluate([rule("allow mcp:other:*")], mcp)).toBeUndefined();
    expect(await evaluate([rule("allow mcp:github:*")], { ...mcp, source: "code" })).toBeUndefined();
  });

  test("[C74] the pattern fits paths by segment, command lines by word, and other targets as texts", async () => {
    const on = (words: string, target: PolicyCallInput["effects"][number]) =>
      evaluate([rule(words)], { tool: "any", effects: [target] });
    expect(await on("allow fs.write {workspace}/src/**", fsWrite("/ws/src/a/b.ts"))).toBe("allow");
    expect(await on("allow fs.write {workspace}/*", fsWrite("/ws/src/a"))).toBeUndefined();
    expect(await on("allow shell.run git status *", shellRun(["git", "status"]))).toBe("allow");
    expect(await on("allow shell.run git status", shellRun(["git", "statusx"]))).toBeUndefined();
    expect(await on("allow net.fetch *.example", netFetch("docs.example"))).toBe("allow");
    expect(await on("allow net.fetch *.example", netFetch("example.evil"))).toBeUndefined();
  });

  test("[C74] if no rule matches, the user is asked", async () => {
    const decision = await compilePolicy({ builtIn: "off" }).decide(
      policyCall({ tool: "edit", effects: [fsWrite("/a")] }),
      policyContext(),
    );
    expect(decision).toMatchObject({ action: "ask", layer: "default" });
  });

  test("[C74] one that is none is a mistake, and says where it stands", () => {
    const errors: [object, RegExp][] = [
      [{ permission: "", action: "allow" }, /permission/],
      [{ permission: "x", action: "maybe" }, /allow, ask or deny/],
      [{ permission: "x", patern: "y", action: "allow" }, /patern/],
      [{ permission: "x", action: "allow", scope: "global" }, /manifest, project or session/],
      [{ permission: "x", action: "allow", if: ["sandbxed"] }, /sandbxed/],
      [{ permission: "x", action: "allow", if: ["known wishfully"] }, /wishfully/],
      [{ permission: "x", action: "allow", if: ["constructor"] }, /constructor/],
      [{ permission: "fs.read", pattern: "/src/*.[jt]s", action: "deny" }, /\{a,b\}/],
      [
        { permission: "x", pattern: "{workspce}/**", action: "allow", at: "policy.yaml:7" },
        /policy.yaml:7.*workspce/,
      ],
    ];
    for (const [one, diagnostic] of errors)
      expect(() => compilePolicy({ rules: [one as Rule] })).toThrow(diagnostic);
    expect(() => compilePolicy({ rules: {} as never })).toThrow(/list/);
  });
});

describe("the most specific rule decides, and a manifest deny is final", () => {
  test("[C75] the longer literal wins, and of two as long the stricter", async () => {
    expect(await evaluate([rule("allow fs.write /a/**"), rule("ask fs.write")])).toBe("allow");
    expect(await evaluate([rule("allow fs.write /a/*"), rule("ask fs.write /a/?")])).toBe("ask");
    expect(await evaluate([rule("allow edit"), rule("ask *")])).toBe("allow");
  });

  test("[C75] how long the workspace's own path is does not count", async () => {
    const rules = [rule("allow fs.write {workspace}/*"), rule("ask fs.write **/b.lock")];
    const evaluated = compilePolicy({
      rules,
      builtIn: "off",
      variables: { workspace: [`/${"long/".repeat(20)}ws`] },
    });
    const target = fsWrite(`/${"long/".repeat(20)}ws/b.lock`);
    expect(
      await evaluated.decide(policyCall({ tool: "edit", effects: [target] }), policyContext()),
    ).toMatchObject({
      action: "ask",
    });
  });

  test("[C75] a manifest deny is never overridden", async () => {
    const deny = rule("deny fs.write **/b", { scope: "manifest" });
    const loose = (["manifest", "project", "session"] as const).map((scope) =>
      rule("allow fs.write /a/b", { scope }),
    );
    expect(await evaluate([deny, ...loose])).toBe("deny");
  });

  test("[C75] a deny is never overridden by its own scope, and is overridden by a more specific rule of another", async () => {
    const deny = rule("deny fs.write **/b", { scope: "project" });
    expect(await evaluate([deny, rule("allow fs.write /a/b", { scope: "project" })])).toBe("deny");
    expect(await evaluate([deny, rule("allow fs.write /a/b", { scope: "session" })])).toBe("allow");
    expect(await evaluate([deny, rule("allow fs.write **", { scope: "session" })])).toBe("deny");
  });

  test("[C75] no allow of a tool defeats a deny of what it does, nor the other way round", async () => {
    for (const scope of ["manifest", "project"] as const) {
      const session = { scope: "session" } as const;
      expect(await evaluate([rule("allow edit /a/b", session), rule("deny fs.write", { scope })])).toBe(
        "deny",
      );
      expect(await evaluate([rule("deny edit", { scope }), rule("allow fs.write /a/b", session)])).toBe(
        "deny",
      );
      expect(await evaluate([rule("allow edit /a/b", session), rule("deny *", { scope })])).toBe("deny");
    }
  });

  test("[C75] a call is allowed only if each of its effects is", async () => {
    const effects = [fsRead("/a"), fsWrite("/b")];
    expect(await evaluate([rule("allow fs.read")], { effects })).toBeUndefined();
    expect(await evaluate([rule("allow fs.read"), rule("allow fs.write")], { effects })).toBe("allow");
    expect(await evaluate([rule("allow *"), rule("deny fs.write /b")], { effects })).toBe("deny");
  });

  test("[C75] the order in which rules are written means nothing", async () => {
    const any = fc.record({
      permission: fc.constantFrom("edit", "fs.write", "fs.*", "*"),
      pattern: fc.constantFrom("/a/**", "/a/b", "**", "/c"),
      action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
      scope: fc.constantFrom("manifest" as const, "project" as const, "session" as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(any, { maxLength: 8 })
          .chain((rules) =>
            fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
          ),
        async ([rules, shuffled]) => {
          expect(await evaluate(shuffled)).toBe(await evaluate(rules));
        },
      ),
    );
  });
});

test("a sandbox with an open network is none that a rule could rely on", async () => {
  const open = { sandbox: "files" as const };
  expect(await evaluate([rule("allow fs.write", { if: ["sandboxed"] })], {}, open)).toBeUndefined();
  expect(await evaluate([rule("allow fs.write", { if: ["not sandboxed"] })], {}, open)).toBe("allow");
});

test("conditions: a rule applies only if all of them hold", async () => {
  const cases: [Rule["if"], object][] = [
    [["sandboxed"], { sandbox: "files-and-network" }],
    [["untrusted", "private"], { taint: new Set(["untrusted", "private"]) }],
    [["user ada"], { principal: { user: "ada", role: "agent", workspace: "main" } }],
    [["group dev", "environment test"], { principal: { groups: ["ops", "dev"], environment: "test" } }],
    [["agent reviewer", "role coder"], { principal: { agent: "reviewer", role: "coder" } }],
  ];
  for (const [conditions, known] of cases) {
    const rules = [rule("allow fs.write", { if: conditions ?? [] })];
    expect(await evaluate(rules, {}, known)).toBe("allow");
    expect(await evaluate(rules)).toBeUndefined();
    const not = [rule("allow fs.write", { if: [`not ${conditions?.[0]}` as never] })];
    expect(await evaluate(not, {}, known)).toBeUndefined();
    expect(await evaluate(not)).toBe("allow");
  }
  const push = (forced: boolean) => ({
    effects: [{ ...effect("git.push", "origin"), ...(forced ? { forced: true as const } : {}) }],
  });
  const rules = [rule("allow git.push"), rule("deny git.push", { if: ["forced"] })];
  expect(await evaluate(rules, push(true))).toBe("deny");
  expect(await evaluate(rules, push(false))).toBe("allow");
  const enforced = [rule("allow fs.write", { if: ["known enforced"] })];
  expect(await evaluate(enforced, { effects: [{ ...fsWrite("/a/b"), known: "enforced" }] })).toBe("allow");
  expect(await evaluate(enforced)).toBeUndefined();
});
