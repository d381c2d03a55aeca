import { compilePolicy, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { type ParsePolicyOptions, parsePolicy } from "./parse-policy.ts";
import { formatDiagnostic } from "./policy-file.ts";

const OPTIONS: ParsePolicyOptions = { file: "policy.yaml", home: "/home/user" };

const SAMPLE = `version: 1
mode: ask
extends: [toolkeep:recommended]
allow-list: [read, "bash(git status)"]
rules:
  - allow fs.write "{src,test,docs}/**"
  - deny git.push "*" if forced because "rewrite history by hand"
  - allow mcp:github:get_*
  - 'ask fs.delete because "see: issue #5"'
  - Bash(git:*)               # an entry
watchdogs: { rule-of-two: deny, loop: 3 }
tests:
  - bash: npm test
    sandboxed: true
    expect: allow
  - effect: fs.write src/x
    groups: [a, b]
    expect: allow
`;

function diagnosticsOf(text: string, options: Partial<ParsePolicyOptions> = {}): readonly string[] {
  const file = parsePolicy(text, { ...OPTIONS, ...options });
  expect(file.definition === undefined).toBe(file.diagnostics.length > 0);
  return file.diagnostics.map(formatDiagnostic);
}

describe("a valid file", () => {
  test("has rules of the project with their lines, settings of watchdogs and tests", () => {
    const file = parsePolicy(SAMPLE, OPTIONS);
    expect(file.diagnostics).toEqual([]);
    const own = file.definition?.rules?.slice(RECOMMENDED_POLICY.rules.length);
    expect(own?.map(({ at, scope }) => [at, scope])).toEqual(
      [6, 7, 8, 9, 10].map((line) => [`policy.yaml:${line}`, "project"]),
    );
    expect(own?.[3]?.because).toBe("see: issue #5");
    expect(file.watchdogSettings).toMatchObject({ "rule-of-two": "deny", loop: 3, secrets: "deny" });
    expect(file.definition?.builtIn).toEqual(file.watchdogSettings);
    expect(file.tests.map(({ line, expect: expected, facts }) => [line, expected, facts])).toEqual([
      [13, "allow", { sandboxed: true }],
      [16, "allow", { groups: ["a", "b"] }],
    ]);
  });

  test("compiles, and uses its allow-list only in that mode", () => {
    const file = parsePolicy(SAMPLE, OPTIONS);
    expect(file.allowList).toEqual(["read", "bash(git status)"]);
    expect(file.definition?.allowList).toBeUndefined();
    expect(compilePolicy(file.definition ?? {}).mode).toBe("ask");
    const listed = parsePolicy(SAMPLE.replace("mode: ask", "mode: allowlist"), OPTIONS);
    expect(compilePolicy(listed.definition ?? {}).definition.allowList).toEqual(file.allowList);
  });

  test("has the locks of the files that it extends, and its own", () => {
    const extended = { ...OPTIONS, extends: () => "version: 1\nlocks: [fs.write, deploy.run]" };
    const file = parsePolicy('version: 1\nextends: [base.yaml]\nlocks: [deploy.run, "payments.*"]', extended);
    expect(file.diagnostics).toEqual([]);
    expect(file.definition?.locks).toEqual(["fs.write", "deploy.run", "payments.*"]);
    expect(parsePolicy("version: 1", OPTIONS).definition).not.toHaveProperty("locks");
  });

  test.each(["*", "fs.w*", "deploy.run production", ".run"])(
    "does not lock %s, which is no capability",
    (lock) => {
      expect(diagnosticsOf(`version: 1\nlocks: ["${lock}"]`)).toEqual([
        `policy.yaml:2:9: ${JSON.stringify(lock)} is no capability. Write e.g. \`deploy.run\`, or \`payments.*\` for all of a kind.`,
      ]);
    },
  );

  test("an unknown option is refused with a suggestion", () => {
    const misspelled = { ...OPTIONS, varibles: {} } as never;
    expect(() => parsePolicy(SAMPLE, misspelled)).toThrow('Did you mean "variables"?');
  });

  test("takes the given scope and variables", () => {
    const variables = { workspace: ["/repo"] };
    const { definition } = parsePolicy(SAMPLE, { ...OPTIONS, scope: "manifest", variables });
    expect(new Set(definition?.rules?.map(({ scope }) => scope))).toEqual(new Set(["manifest"]));
    expect(definition?.variables).toEqual(variables);
  });
});

describe("an invalid file has diagnostics with line and column, and no definition", () => {
  test.each([
    ["", "1:1", "empty"],
    ["mode: ask", "1:1", "version: 1"],
    ["version: 2", "1:10", "Only version 1"],
    ['version: "1"', "1:10", "Only version 1"],
    ["- version: 1", "1:1", "name: value"],
    ["version: 1\nmdoe: ask", "2:1", "Did you mean `mode`?"],
    ["version: 1\nmode: asj", "2:7", "Did you mean `ask`?"],
    ["version: 1\nmode: [ask]", "2:7", "ask, allowlist"],
    ["version: 1\nrules: allow fs.read", "2:8", "a list"],
    ["version: 1\nrules:\n  - allow fs.raed if sandbx", "3:22", "Did you mean `sandboxed`?"],
    ["version: 1\nrules:\n  - { allow: fs.read }", "3:5", "one line of text"],
    ['version: 1\nrules:\n  - ask fs.write because "a: b"', "3:5", "single quotes"],
    ['version: 1\nrules:\n  - ask fs.write because "issue #5"', "3:26", "single quotes"],
    ["version: 1\nrules:\n  - allow fs.read **.ts", "3:5", "**/*.ts"],
    ["version: 1\nrules:\n  - allow read **.ts", "3:5", "**/*.ts"],
    ['version: 1\nrules:\n  - allow bash "a | b"', "3:5", "one by one"],
    ['version: 1\nrules:\n  - "alow fs.read"', "3:6", "Did you mean `allow`?"],
    ["version: 1\nextends: toolkeep:recommended", "2:10", "a list"],
    ["version: 1\nextends: [toolkeep:other]", "2:11", "toolkeep:recommended"],
    ["version: 1\nallow-list: [rm -rf]", "2:14", "name(keyPattern)"],
    ["version: 1\nwatchdogs: { loop: 1 }", "2:20", "from 2"],
    ["version: 1\nwatchdogs: { secret: ask }", "2:14", "Did you mean `secrets`?"],
    ["version: 1\nwatchdogs: { secrets: allow }", "2:23", "ask, deny, off"],
    ["version: 1\ntests:\n  - bash: x", "3:5", "expect: allow"],
    ["version: 1\ntests:\n  - expect: ask", "3:5", "has no call"],
    ["version: 1\ntests:\n  - { bash: x, read: y, expect: ask }", "3:16", "one call"],
    ["version: 1\ntests:\n  - { bash: x, sandboxd: true, expect: ask }", "3:16", "`sandboxed`"],
    ["version: 1\ntests:\n  - { bash: x, sandboxed: maybe, expect: ask }", "3:27", "true or false"],
    ["version: 1\ntests:\n  - { effect: fs.write, expect: ask }", "3:15", "a capability and a target"],
    ["version: 1\ntests:\n  - { tool: x, expect: ask }", "3:7", "effects:"],
    ["version: 1\nversion: 1", "2:1", "unique"],
    ["version: 1\nrules: [", "2:9", "Invalid YAML"],
    ["version: 1\nmode: !!str ask", "2:13", "Tags"],
    ["version: 1\nmode: !ask x", "2:7", "Invalid YAML"],
    ["version: 1\nmode: &a ask", "2:10", "Anchors"],
    ["version: 1\nx: &a [1]\nrules: *a", "2:7", "Anchors"],
    ["version: 1\n---\nversion: 1", "2:1", "Invalid YAML"],
    ["version: 1\n<<: {}", "2:1", "Unknown key"],
  ])("%s", (text, position, expected) => {
    const [diagnostic, ...others] = diagnosticsOf(text);
    expect(diagnostic).toContain(`policy.yaml:${position}: `);
    expect([diagnostic, ...others].join("\n")).toContain(expected);
  });

  test("files that would exhaust memory or time are refused", () => {
    const lines = Array.from(
      { length: 30 },
      (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
    );
    const started = process.cpuUsage();
    expect(diagnosticsOf(["a0: &a0 x", ...lines].join("\n")).join("\n")).toContain("Aliases");
    expect(diagnosticsOf("[".repeat(50_000))).not.toEqual([]);
    expect(diagnosticsOf(`version: 1\nrules:\n${"  - deny x\n".repeat(20_000)}`).join()).toContain("at most");
    expect(diagnosticsOf("x".repeat(1_000_001)).join()).toContain("longer than");
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(60_000);
  });

  test("a deny with a variable that has no value is an error", () => {
    const text = "version: 1\nrules: [allow fs.read **, deny fs.read secrets/**]";
    expect(diagnosticsOf(text, { variables: { workspace: [] } }).join()).toMatch(/2:27: .*\{workspace\}/);
    expect(diagnosticsOf(text, { variables: { workspace: ["/repo"] } })).toEqual([]);
  });

  test("all errors are reported at once", () => {
    expect(diagnosticsOf("version: 3\nmode: x\nrules: [alow a, deny]\n")).toHaveLength(4);
  });
});

describe("a file that extends others", () => {
  const others: Readonly<Record<string, string>> = {
    team: "version: 1\nmode: yolo\nrules: [deny fs.write secrets/**]\nwatchdogs: { loop: 9, secrets: ask }",
    broken: "version: 1\nrules: [alow x]",
    self: "version: 1\nextends: [self]",
    ring: "version: 1\nextends: [policy.yaml]",
  };
  const read = (name: string) =>
    parsePolicy(`version: 1\nextends: [${name}]\nwatchdogs: { loop: 4 }`, {
      ...OPTIONS,
      extends: (wanted) => others[wanted],
    });

  test("inherits rules and watchdogs but no mode, and its own watchdogs override", () => {
    const { definition, watchdogSettings, ownRules } = read("team");
    expect(definition?.rules?.map(({ at }) => at)).toEqual(["team:3"]);
    expect(definition?.mode).toBe("ask");
    expect(watchdogSettings).toEqual({ loop: 4, secrets: "ask" });
    expect(ownRules).toEqual([]);
  });

  test("is invalid if a file that it extends is", () => {
    expect(read("broken").diagnostics.map(formatDiagnostic).join()).toContain("broken:2:9: ");
    expect(read("unknown").diagnostics).toHaveLength(1);
    expect(read("self").diagnostics.map(({ message }) => message)).toEqual(['"self" extends itself.']);
    expect(read("ring").diagnostics.map(({ message }) => message)).toEqual(['"policy.yaml" extends itself.']);
  });
});
