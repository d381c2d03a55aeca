import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fsWrite } from "../../contract/call/effect.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import type { Diagnostic } from "../../contract/values/diagnostic.ts";
import { compilePolicy } from "../compile-policy.ts";
import { ruleText } from "../rules/compile-rule.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { parseRule } from "./parse-rule.ts";

const PLACE = {
  file: "policy.yaml",
  line: 7,
  column: 5,
  home: "/home/user",
  scope: "project",
} as const;

function formatted({ file, line, column, message, hint = "" }: Diagnostic): string {
  return `${file}:${line}:${column}: ${message} ${hint}`;
}

function rulesOf(line: string): readonly Rule[] {
  const parsed = parseRule(line, PLACE);
  if (parsed.diagnostic !== undefined) throw new Error(formatted(parsed.diagnostic));
  return parsed.rules;
}

function diagnosticOf(line: string): string {
  const parsed = parseRule(line, PLACE);
  return parsed.diagnostic === undefined ? "none" : formatted(parsed.diagnostic);
}

describe("a line becomes a rule", () => {
  test.each<[string, Partial<Rule>]>([
    ["allow fs.read", { action: "allow", permission: "fs.read" }],
    ["ask *", { action: "ask", permission: "*" }],
    ["deny Deploy", { action: "deny", permission: "Deploy" }],
    ['deny fs.* "**/.env*"', { action: "deny", permission: "fs.*", pattern: "**/.env*" }],
    ["allow mcp:github:get_*", { action: "allow", permission: "mcp:github:get_*" }],
    ["allow fs.read src/**", { action: "allow", permission: "fs.read", pattern: "{workspace}/src/**" }],
    [
      'allow shell.run "git {status,diff,log} *"',
      { action: "allow", permission: "shell.run", pattern: "git {status,diff,log} *" },
    ],
    [
      'allow shell.run "npm test" if sandboxed and not user eve and group "core team"',
      { pattern: "npm test", if: ["sandboxed", "not user eve", "group core team"] },
    ],
    ['ask git.push "*" never-remember', { action: "ask", neverRemember: true }],
    ['deny git.push "*" if forced because "by hand"', { if: ["forced"], because: "by hand" }],
    ['ask git.push because "it leaves" never-remember', { because: "it leaves", neverRemember: true }],
    ['allow deploy "echo \\"a\\""', { permission: "deploy", pattern: 'echo "a"' }],
    ['ask pay "*" when "args.amount > 100"', { permission: "pay", pattern: "*", when: "args.amount > 100" }],
    [
      'deny pay if group guests when "args.a == \\"x\\"" because "no"',
      { if: ["group guests"], when: 'args.a == "x"', because: "no" },
    ],
  ])("%s", (line, expected) => {
    expect(rulesOf(line)).toEqual([
      expect.objectContaining({ ...expected, scope: "project", at: "policy.yaml:7" }),
    ]);
  });

  test.each([
    ["allow", "src/**", "{workspace}/src/**"],
    ["allow", "./src/**", "{workspace}/src/**"],
    ["allow", "{src,test}/**", "{workspace}/{src,test}/**"],
    ["allow", ".", "{workspace}"],
    ["allow", "**", "{workspace}/**"],
    ["allow", "**/*.ts", "{workspace}/**/*.ts"],
    ["deny", "**", "**"],
    ["ask", "**/*.pem", "**/*.pem"],
    ["deny", "{**/.env,**/*.pem}", "{**/.env,**/*.pem}"],
    ["deny", "*", "**"],
    ["allow", "*", "{workspace}/*"],
    ["deny", "secrets/**", "{workspace}/secrets/**"],
    ["allow", "~/notes/**", "/home/user/notes/**"],
    ["deny", "~", "/home/user"],
    ["allow", "/etc/hosts", "/etc/hosts"],
    ["allow", "{/etc/a,/etc/b}", "{/etc/a,/etc/b}"],
    ["allow", "{ad-hoc}/**", "{ad-hoc}/**"],
  ])("%s of the path %s means %s", (action, pattern, meant) => {
    for (const permission of ["fs.read", "fs.*", "edit", "file_manager.write"]) {
      expect(rulesOf(`${action} ${permission} "${pattern}"`)[0]?.pattern).toBe(meant);
    }
  });

  test("commands, hosts and MCP tools take their patterns as they stand", () => {
    for (const permission of ["shell.run", "bash", "net.fetch", "web_fetch", "mcp:a:b", "git.push"]) {
      expect(rulesOf(`deny ${permission} "src*"`)[0]?.pattern).toBe("src*");
    }
  });
});

describe("a set of permissions is one rule each", () => {
  test.each([
    ["allow mcp:github:{get,list}_*", ["mcp:github:get_*", "mcp:github:list_*"]],
    ["deny {fs.{read,write},bash}", ["fs.read", "bash", "fs.write"]],
    ["ask {a,a}", ["a"]],
  ])("%s", (line, permissions) => {
    expect(rulesOf(line).map(({ permission }) => permission)).toEqual(permissions);
    const [action, permission = ""] = line.split(" ");
    const { rules } = compilePolicy({ rules: [{ action: action as Rule["action"], permission }] }).definition;
    expect(rules.map((rule) => rule.permission)).toEqual(permissions);
  });

  test("with the pattern that each of them means", () => {
    expect(rulesOf('deny {fs.write,shell.run} "src/**"').map(({ pattern }) => pattern)).toEqual([
      "{workspace}/src/**",
      "src/**",
    ]);
  });

  test.each(["allow fs.{read", "allow fs.{read, write}", "allow {a}", "allow fs.{wrte,read}", "allow {,a}"])(
    "%s is none",
    (line) => {
      expect(diagnosticOf(line)).not.toBe("none");
      expect(() => compilePolicy({ rules: [{ action: "allow", permission: line.slice(6) }] })).toThrow();
    },
  );

  test("and not more than a person can read", () => {
    const many = `{${Array.from({ length: 33 }, (_unused, index) => `t${index}`).join(",")}}`;
    expect(diagnosticOf(`deny ${many}`)).toContain("A permission is");
  });
});

describe("entries in another spelling", () => {
  test.each<[string, readonly Partial<Rule>[]]>([
    ["Bash(git:*)", [{ action: "allow", permission: "shell.run", pattern: "git *" }]],
    ["deny Bash(rm:*)", [{ action: "deny", permission: "shell.run", pattern: "rm *" }]],
    ["Bash(git diff *)", [{ permission: "shell.run", pattern: "git diff *" }]],
    ["Bash", [{ permission: "shell.run" }]],
    ["Read(./src/**)", [{ permission: "fs.read", pattern: "{workspace}/src/**" }]],
    ["Read(//etc/hosts)", [{ permission: "fs.read", pattern: "/etc/hosts" }]],
    ["Edit(/src/**)", [{ action: "allow", permission: "fs.write", pattern: "{workspace}/src/**" }]],
    [
      "deny Edit(~/.bashrc)",
      [
        { action: "deny", permission: "fs.write", pattern: "/home/user/.bashrc{,/**}" },
        { action: "deny", permission: "fs.delete", pattern: "/home/user/.bashrc{,/**}" },
      ],
    ],
    ["deny Read(.env)", [{ action: "deny", permission: "fs.read", pattern: "**/.env{,/**}" }]],
    ["WebFetch(domain:example.com)", [{ permission: "net.fetch", pattern: "example.com" }]],
    ["mcp__github", [{ permission: "mcp:github:*" }]],
    ["ask mcp__github__delete_repo", [{ action: "ask", permission: "mcp:github:delete_repo" }]],
    ["Bash(npm test) if sandboxed", [{ pattern: "npm test", if: ["sandboxed"] }]],
  ])("%s", (line, expected) => {
    const rules = rulesOf(line);
    expect(rules).toHaveLength(expected.length);
    for (const [index, rule] of expected.entries()) expect(rules[index]).toMatchObject(rule);
  });

  test("a deny that would cover more than it says is a problem too", () => {
    expect(diagnosticOf("deny Bash(* --force)")).toMatch(/every command/);
    expect(diagnosticOf("deny Bash(git * main)")).toMatch(/"git \*"/);
    expect(diagnosticOf("deny Read(!a)")).toMatch(/which paths/);
    expect(diagnosticOf("ask Agent(Explore)")).toMatch(/whole tool/);
    expect(rulesOf("deny mcp__a__b__c").map(({ permission }) => permission)).toEqual([
      "mcp:a:b__c",
      "mcp:a__b:c",
    ]);
  });

  test("an allow that cannot be said here is a problem, not a guess", () => {
    expect(diagnosticOf("Bash(* --version)")).toMatch(/any program/);
    expect(diagnosticOf("Bash(a && b)")).toMatch(/evaluated separately/);
    expect(diagnosticOf("WebFetch(https://example.com)")).toMatch(/domain:HOST/);
    expect(diagnosticOf("Frobnicate(x)")).toMatch(/no such tool/);
    expect(diagnosticOf("mcp__a__b__c")).toMatch(/where the name of the server ends/);
  });
});

describe("a problem says what is wrong, where, and what to write", () => {
  test.each([
    ["alow fs.read", "7:5", "Did you mean `allow`?"],
    ["", "7:5", "The rule is empty."],
    ["allow", "7:10", "permission is missing"],
    ['allow "src/**"', "7:11", 'allow fs.read "src/**"'],
    ["allow shell.run git status", "7:25", 'quotes: "git status"'],
    ["bash(git status)", "7:5", "allow bash"],
    ['allow fs.read "src', "7:19", "never closed"],
    ["allow fs.read src if sandbxed", "7:26", "Did you mean `sandboxed`?"],
    ["allow fs.read src if", "7:25", "condition is missing"],
    ["allow fs.read src if user", "7:30", "needs a name"],
    ["allow fs.read src if known maybe", "7:32", "enforced"],
    ["allow fs.read src never-remember", "7:23", "Only an `ask` rule"],
    ["ask fs.read src because tired", "7:28", "in quotes"],
    ["ask fs.read src when args.a", "7:25", 'when "args.amount > 100"'],
    ['ask fs.read src when ""', "7:25", 'when "args.amount > 100"'],
    ["ask fs.read src if forced if private", "7:31", "appears twice"],
    ["allow fs.read {workspce}/x", "7:19", "{workspace}"],
    ["allow fs.read {a,b", "7:19", "braces"],
    ["allow fs.read ../x", "7:19", "absolute path"],
    ["deny fs.read {src/**,**/.env}", "7:18", "one rule for each"],
    ["deny * .env", "7:12", "fs.*"],
    ["allow fs.read a\u202eb", "7:20", "invisible"],
  ])("%s", (line, place, words) => {
    const diagnostic = diagnosticOf(line);
    expect(diagnostic).toContain(`policy.yaml:${place}: `);
    expect(diagnostic).toContain(words);
  });

  test("without a home folder `~` is a problem", () => {
    const { home: _, ...nowhere } = PLACE;
    expect(parseRule("allow fs.read ~/x", nowhere).diagnostic?.message).toMatch(/`~`/);
  });
});

test("whatever the line, it is a rule or a problem with a place; nothing is thrown", () => {
  const word = fc.constantFrom(
    ..."allow deny fs.read src/** if not because when {fs.read,a} Bash(x) ~/a {a,b}".split(" "),
    '"a b"',
    '"',
  );
  const line = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 8 }).map((words) => words.join(" ")),
  );
  fc.assert(
    fc.property(line, (text) => {
      const parsed = parseRule(text, PLACE);
      if (parsed.diagnostic !== undefined)
        expect(formatted(parsed.diagnostic)).toMatch(/^policy\.yaml:7:\d+: \S/);
      else for (const rule of parsed.rules) expect(["allow", "ask", "deny"]).toContain(rule.action);
    }),
    { numRuns: 2_000 },
  );
});

test("a rule that is written out is read back as the same", () => {
  const pattern = fc.constantFrom("/a/**", "{workspace}/src/*.ts", "{workspace}/{a,b}/**", "{user-data}/x");
  const condition = fc.constantFrom(
    "sandboxed",
    "not forced",
    "user eve",
    "not group team",
    "known inferred",
  );
  const rule = fc.record({
    when: fc.constantFrom("args.amount > 100", "args.a == \"b\" || user == 'c'"),
    action: fc.constantFrom("allow", "ask", "deny"),
    permission: fc.constantFrom("fs.read", "fs.*", "edit"),
    pattern,
    if: fc.uniqueArray(condition, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(rule, (made) => {
      const whole = { ...made, scope: "project", at: "policy.yaml:7" } as Rule;
      expect(rulesOf(ruleText(whole))).toEqual([whole]);
      const { when: _, ...without } = whole;
      expect(() => compilePolicy({ rules: [without] })).not.toThrow();
    }),
  );
});

describe("a policy in code takes the same lines as a policy file", () => {
  test("with the meaning that parseRule gives them, and final denies like rules in the object form", async () => {
    const { definition, decide } = compilePolicy(["ask net.fetch *.weather.example", "deny Edit(.env)"]);
    expect(definition.rules).toEqual([
      { permission: "net.fetch", pattern: "*.weather.example", action: "ask" },
      { permission: "fs.write", pattern: "**/.env{,/**}", action: "deny" },
      { permission: "fs.delete", pattern: "**/.env{,/**}", action: "deny" },
    ]);
    const call = policyCall({ tool: "edit", effects: [fsWrite("/ws/.env")] });
    expect(await decide(call, policyContext())).toMatchObject({ action: "deny", isFinal: true });
  });

  test("mixed with objects, also where rules are added later", () => {
    const rule: Rule = { permission: "edit", action: "ask" };
    const policy = compilePolicy({ mode: "observe", rules: [rule, "allow glob"] });
    expect(policy.withRules(["deny bash"]).definition.rules).toEqual([
      rule,
      { permission: "glob", action: "allow" },
      { permission: "bash", action: "deny" },
    ]);
  });

  test("a line that is not a rule is an error with its column and a suggestion", () => {
    expect(() => compilePolicy(["alow fs.read"])).toThrow(
      'Invalid rule "alow fs.read", column 1: A rule begins with allow, ask or deny, not with "alow". Did you mean `allow`?',
    );
    expect(() => compilePolicy(["deny net.fetch https://a.example/x"])).toThrow(/hosts/);
  });
});
