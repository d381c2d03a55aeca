import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effect } from "../../contract/call/effect.ts";
import type { PolicyMode } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compilePolicy } from "../compile-policy.ts";
import { GrowingPolicy } from "../growing-policy.ts";
import { inheritFrom } from "../inherit.ts";
import { RECOMMENDED_POLICY } from "../recommended/recommended.ts";
import { policyCall, policyContext } from "./policy-call.ts";

const variables = { workspace: ["/ws"] };
const CALL = policyCall({ tool: "bash", effects: [] });
const AROUND = policyContext();

const rule = (
  action: Rule["action"],
  permission: string,
  pattern: string,
  more: Partial<Rule> = {},
): Rule => ({
  ...{ action, permission, pattern },
  ...more,
});

function deniesOf(rules: readonly Rule[], mode: PolicyMode = "ask", around = AROUND) {
  return compilePolicy({ rules, mode, builtIn: "off", variables }).pathDenies?.(CALL, around);
}

describe("what rules deny on paths", () => {
  test("nothing if no deny is about files, so that such a policy costs nothing", () => {
    expect(deniesOf([rule("allow", "fs.read", "**"), rule("ask", "fs.write", "/ws/**")])).toBeUndefined();
    expect(deniesOf([rule("deny", "shell.run", "rm *"), rule("deny", "read", "/ws/**")])).toBeUndefined();
  });

  test("each access by its own rule, of capabilities, of the tool and of everything", () => {
    const denies = deniesOf([
      rule("deny", "fs.*", "{workspace}/private/**"),
      rule("deny", "fs.write", "/ws/{locked,closed}/**"),
      rule("deny", "bash", "/ws/tool.txt"),
      rule("deny", "*", "/ws/all.txt"),
    ]);
    const private_ = 'deny fs.* "{workspace}/private/**"';
    expect(denies?.at("/ws/private/a/b")).toEqual({ read: private_, write: private_, delete: private_ });
    expect(Object.keys(denies?.at("/ws/closed/x") ?? {})).toEqual(["write"]);
    expect(denies?.at("/ws/tool.txt")?.read).toBe('deny bash "/ws/tool.txt"');
    expect(denies?.at("/ws/all.txt")?.delete).toBe('deny * "/ws/all.txt"');
    expect(denies?.at("/ws/src/a.ts")).toBeUndefined();
  });

  test("whole folders, and where it is worth to look", () => {
    const denies = deniesOf([rule("deny", "fs.read", "/ws/a/**"), rule("deny", "fs.read", "/ws/b/*.txt")]);
    expect(denies?.beneath("/ws/a")?.read).toBeDefined();
    expect(denies?.beneath("/ws/a/deep")?.read).toBeDefined();
    expect(denies?.beneath("/ws/b")).toBeUndefined();
    expect([denies?.reaches("/ws"), denies?.reaches("/ws/b"), denies?.reaches("/ws/src")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("a deny of another scope is overridden by a longer allow; one of the manifest is not", () => {
    const allow = rule("allow", "fs.read", "/ws/docs/public/**", { scope: "session" });
    const project = deniesOf([rule("deny", "fs.read", "/ws/docs/**", { scope: "project" }), allow]);
    expect(project?.at("/ws/docs/a")?.read).toBeDefined();
    expect(project?.at("/ws/docs/public/a")).toBeUndefined();
    expect(project?.beneath("/ws/docs")).toBeUndefined();
    expect(project?.beneath("/ws/docs/inner")?.read).toBeDefined();
    const final = deniesOf([rule("deny", "fs.read", "/ws/docs/**"), allow]);
    expect(final?.beneath("/ws/docs/public")?.read).toBeDefined();
  });

  test("conditions as they are now, and in the mode observe only what is final", () => {
    const rules = [rule("deny", "fs.read", "/ws/a", { if: ["untrusted"] })];
    expect(deniesOf(rules)?.at("/ws/a")).toBeUndefined();
    expect(
      deniesOf(rules, "ask", policyContext({ taint: new Set(["untrusted"]) }))?.at("/ws/a"),
    ).toBeDefined();
    const project = rule("deny", "fs.read", "/ws/a", { scope: "project" });
    expect(deniesOf([project], "observe")).toBeUndefined();
    expect(deniesOf([project], "yolo")?.at("/ws/a")).toBeDefined();
    expect(deniesOf([{ ...project, scope: "manifest" }], "observe")?.at("/ws/a")).toBeDefined();
  });

  test("an answer stays as it was given, whatever the session takes in later", () => {
    const taint = new Set<"untrusted">();
    const rules = [rule("deny", "fs.read", "/ws/a", { if: ["untrusted"] }), rule("deny", "fs.read", "/ws/b")];
    const denies = deniesOf(rules, "ask", policyContext({ taint }));
    taint.add("untrusted");
    expect([denies?.at("/ws/a"), denies?.at("/ws/b")?.read]).toEqual([undefined, 'deny fs.read "/ws/b"']);
    expect(deniesOf(rules, "ask", policyContext({ taint }))?.at("/ws/a")?.read).toBeDefined();
  });

  test("names that a sandbox holds by itself need no look, whatever else is denied", () => {
    const { rules } = RECOMMENDED_POLICY;
    const denies = deniesOf(rules);
    expect(denies?.reaches("/ws")).toBe(false);
    expect(denies?.at("/ws/.ssh/id")?.write).toBeDefined();
    expect(deniesOf([...rules, rule("deny", "fs.read", "**/*.bak")])?.reaches("/ws")).toBe(true);
    // Guarded by its name and not hidden; a secret by most of its names; a secret because of where it lies.
    for (const pattern of ["**/.vscode/**", "**/*.pem", "**/.env*", "/home/.ssh/ws/**", "**"])
      expect(deniesOf([rule("deny", "fs.read", pattern)])?.reaches("/home/.ssh/ws"), pattern).toBe(true);
  });

  test("a folder is named by a segment that matches particular names only", () => {
    const denies = deniesOf([rule("deny", "fs.read", "/ws/{node_modules,vendor}/**/*.pem")]);
    expect([denies?.names("/ws/node_modules"), denies?.names("/ws/.git")]).toEqual([true, false]);
  });
});

describe("what is added and inherited", () => {
  const added = rule("deny", "fs.read", "/ws/later", { scope: "session" });

  test("a rule that is added counts from then on, and is forgotten with the others", () => {
    const policy = new GrowingPolicy({ builtIn: "off", variables });
    expect(policy.pathDenies(CALL, AROUND)).toBeUndefined();
    policy.add(added, AROUND.principal);
    expect(policy.pathDenies(CALL, AROUND)?.at("/ws/later")?.read).toBeDefined();
    policy.forget();
    expect(policy.pathDenies(CALL, AROUND)).toBeUndefined();
  });

  test("the same policy gives the same denies for a tool, also where they are inherited", () => {
    const parent = new GrowingPolicy({
      rules: [rule("deny", "fs.read", "/ws/p")],
      builtIn: "off",
      variables,
    });
    const own = new GrowingPolicy({ rules: [rule("deny", "fs.write", "/ws/o")], builtIn: "off", variables });
    const child = inheritFrom(parent, own);
    const denies = child.pathDenies?.(CALL, AROUND);
    expect(denies?.at("/ws/p")?.read).toBeDefined();
    expect(denies?.at("/ws/o")?.write).toBeDefined();
    expect(child.pathDenies?.(CALL, AROUND)).toBe(denies);
    parent.add(added, AROUND.principal);
    expect(child.pathDenies?.(CALL, AROUND)?.at("/ws/later")?.read).toBeDefined();
    expect(inheritFrom({ decide: parent.decide }, own).pathDenies?.(CALL, AROUND)?.at("/ws/o")).toBeDefined();
  });
});

const segment = fc.constantFrom("a", "b", "c.txt", "d");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => `/ws/${names.join("/")}`);
const part = fc.oneof(segment, fc.constantFrom("*", "**", "{a,b}", "*.txt", "?"));
const pattern = fc
  .tuple(fc.constantFrom("/ws/", "{workspace}/", "**/", "/"), fc.array(part, { minLength: 1, maxLength: 4 }))
  .map(([start, parts]) => start + parts.join("/"));
const anyRule = fc.record({
  permission: fc.constantFrom("fs.*", "fs.read", "fs.write", "fs.delete", "bash", "*"),
  pattern,
  action: fc.constantFrom("deny" as const, "deny" as const, "allow" as const, "ask" as const),
  scope: fc.constantFrom("manifest" as const, "project" as const, "session" as const),
});
const ACCESSES = ["read", "write", "delete"] as const;

describe("for any rules and paths", () => {
  test("it agrees with what the policy decides about the same access", () => {
    let denied = 0;
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), path, (rules, one) => {
        const policy = compilePolicy({ rules, builtIn: "off", variables });
        const found = policy.pathDenies?.(CALL, AROUND)?.at(one);
        for (const access of ACCESSES) {
          const call = policyCall({ tool: "bash", effects: [effect(`fs.${access}`, one)] });
          const decision = policy.decide({ ...call, found: CALL.found }, AROUND) as { action: string };
          expect(found?.[access] !== undefined).toBe(decision.action === "deny");
          denied += Number(found?.[access] !== undefined);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(denied).toBeGreaterThan(100);
  });

  test("a folder that is denied whole has nothing in it that is not, and one that is not reached nothing that is", () => {
    let [whole, unreached] = [0, 0];
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), path, path, (rules, folder, deeper) => {
        const denies = compilePolicy({ rules, builtIn: "off", variables }).pathDenies?.(CALL, AROUND);
        const inside = folder + deeper.slice("/ws".length);
        for (const access of ACCESSES) {
          if (denies?.beneath(folder)?.[access] === undefined) continue;
          whole += 1;
          expect([denies.at(folder)?.[access], denies.at(inside)?.[access]]).not.toContain(undefined);
        }
        if (denies?.reaches(folder) !== false) return;
        unreached += 1;
        expect(denies.at(inside)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(whole, unreached)).toBeGreaterThan(30);
  });
});
