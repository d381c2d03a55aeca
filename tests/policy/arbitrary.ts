import type { PolicyDefinition, Rule } from "@toolkeep/core";
import { effect, fsRead, fsWrite, netFetch, ruleError, shellRun } from "@toolkeep/core/internal";
import {
  type PolicyCall,
  type PolicyCallInput,
  type PolicyContext,
  policyCall,
  policyContext,
  type StageVerdict,
} from "@toolkeep/core/policy";
import fc from "fast-check";

/** Rules, calls and policy contexts of every kind, from few enough parts that they often match. */

const PERMISSIONS = [
  "reader",
  "bash",
  "manager",
  "manager.delete",
  "re*",
  "fs.read",
  "fs.write",
  "fs.*",
  "shell.run",
  "net.fetch",
  "git.push",
  "mcp:github:*",
  "mcp:github:get_issue",
  "mcp.call",
  "*",
];

const PATTERNS = [
  undefined,
  "**",
  "*",
  "/ws/**",
  "/ws/src/**",
  "/ws/src/a.ts",
  "**/.env",
  "**/*.ts",
  "{workspace}/src/*",
  "{workspace}/{src,docs}/**",
  "git *",
  "git status",
  "git push *",
  "*.example",
  "docs.example",
  "origin *",
];

const CONDITIONS = [
  "sandboxed",
  "not sandboxed",
  "trusted",
  "not trusted",
  "forced",
  "not forced",
  "untrusted",
  "private",
  "known enforced",
  "not known declared",
  "user ada",
  "group dev",
  "not group dev",
  "environment production",
] as const;

export const action = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
export const scope = fc.constantFrom("manifest" as const, "project" as const, "session" as const);

const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    permission: fc.constantFrom(...PERMISSIONS),
    pattern: fc.constantFrom(...PATTERNS),
    action,
    scope,
    if: fc.option(fc.subarray([...CONDITIONS], { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
    neverRemember: fc.option(fc.boolean(), { nil: undefined, freq: 4 }),
    final: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
    yieldsToAsk: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
  })
  .map(
    (made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as never,
  );

/** Those that make sense: a pattern of a command says nothing of a path. */
export const rule = anyRule.filter((made) => ruleError(made) === undefined);

export const rules = fc.array(rule, { maxLength: 10 });

const effects = fc.constantFrom(
  fsRead("/ws/src/a.ts"),
  fsRead("/ws/.env"),
  fsRead("/etc/hosts"),
  fsRead("/ws/**"),
  fsWrite("/ws/src/a.ts"),
  fsWrite("/ws/docs/b.md"),
  { ...fsWrite("/ws/src/c.ts"), known: "enforced" as const },
  shellRun(["git", "status"]),
  shellRun(["git", "push", "origin", "main"]),
  shellRun(["/usr/bin/git", "push", "--force"]),
  netFetch("docs.example"),
  netFetch("evil.test"),
  effect("git.push", "origin main"),
  { ...effect("git.push", "origin main"), forced: true as const },
  effect("mcp.call", "github/get_issue"),
);

const tools: fc.Arbitrary<Partial<PolicyCallInput> & { tool: string }> = fc.constantFrom(
  { tool: "reader", mode: "read" as const },
  { tool: "reader", mode: "read" as const, gated: false },
  { tool: "bash", mode: "local" as const },
  { tool: "manager", actionArgument: "action", args: { action: "delete" } },
  { tool: "manager", actionArgument: "action", args: { action: "list" }, gated: false },
  { tool: "github_get_issue", source: "mcp" as const, remote: { serverId: "github", tool: "get_issue" } },
);

export const call: fc.Arbitrary<PolicyCall> = fc
  .tuple(tools, fc.array(effects, { maxLength: 4 }))
  .map(([tool, list]) => policyCall({ ...tool, effects: list }));

/** A policy context, with a user who may have approved everything before. */
export const context: fc.Arbitrary<PolicyContext> = fc
  .record({
    sandbox: fc.constantFrom("none" as const, "files" as const, "files-and-network" as const),
    isTrusted: fc.boolean(),
    taint: fc.subarray(["untrusted" as const, "private" as const]).map((labels) => new Set(labels)),
    user: fc.constantFrom("ada", "eve"),
    groups: fc.subarray(["dev", "ops"]),
    environment: fc.constantFrom("test", "production"),
    approved: fc.boolean(),
  })
  .map(({ sandbox, isTrusted, taint, approved, ...principal }) =>
    policyContext({
      sandbox,
      isTrusted,
      taint,
      principal: { ...principal, role: "agent", workspace: "main" },
      isApproved: () => approved,
    }),
  );

const verdicts = fc.constantFrom<StageVerdict | undefined>(undefined, "approve", "defer", {
  verdict: "deny",
  reason: "not now",
});

/** Everything of a policy but its rules. */
export const frame: fc.Arbitrary<PolicyDefinition> = fc
  .record({
    mode: fc.constantFrom("ask" as const, "allowlist" as const, "yolo" as const, "observe" as const),
    verdict: verdicts,
    objections: fc.array(action, { maxLength: 2 }),
    hasBuiltIn: fc.boolean(),
    entries: fc.subarray(["reader", "bash(git *)", "manager", "*"]),
  })
  .map(({ mode, verdict, objections, hasBuiltIn, entries }) => ({
    mode,
    variables: { workspace: ["/ws"] },
    ...(mode === "allowlist" ? { allowList: entries } : {}),
    ...(verdict === undefined ? {} : { stages: { name: "plan", evaluate: () => verdict } }),
    ...(hasBuiltIn
      ? {}
      : {
          builtIn: "off" as const,
          watchdogs: objections.map((said, index) => ({
            name: `dog ${index}`,
            evaluate: () => (said === "allow" ? { action: said } : { action: said, reason: "It barks." }),
          })),
        }),
  }));

export const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
