import type { Action } from "@toolkeep/core";
import { compilePolicy } from "@toolkeep/core/policy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../../node/src/commands/parse-command.ts";
import { callOfTest, policyContextOfTest } from "../files/test-call.ts";
import { importGemini } from "./import-gemini.ts";
import type { ImportedRules, ImportNote } from "./imported-rules.ts";

const SETTING = { directories: { workspace: "/ws", home: "/home/user" }, parseCommand };
const RANK: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

async function decided({ rules }: ImportedRules, tool: string, argument: string) {
  const policy = compilePolicy({ rules, builtIn: "off", variables: { workspace: ["/ws"] } });
  const call = await callOfTest({ kind: "tool", tool, argument }, {}, SETTING);
  const { action, at } = await policy.decide(call, policyContextOfTest({}, call));
  return { action, line: Number(at?.split(":")[1] ?? -1) };
}

/** The tools of Gemini CLI, by standard tool. */
const THEIRS: Readonly<Record<string, string>> = {
  bash: "run_shell_command",
  read: "read_file",
  glob: "glob",
  grep: "search_file_content",
  write: "write_file",
  edit: "replace",
  web_fetch: "web_fetch",
  web_search: "google_web_search",
};

const partsOf = (tool: string, argument: string) =>
  tool === "bash" ? argument.split(/\s*(?:&&|\|\||;)\s*/) : [argument];

interface Verdict {
  readonly action: Action;
  readonly by: readonly string[];
}

interface Tools {
  readonly core?: readonly string[];
  readonly exclude?: readonly string[];
  readonly allowed?: readonly string[];
}

function documented({ core, exclude = [], allowed = [] }: Tools, tool: string, argument: string): Verdict {
  const matching = (list: readonly string[], part: string) =>
    list.filter((entry) => {
      const [, name, prefix = ""] = /^(\w+)(?:\((.*)\))?$/.exec(entry) ?? [];
      return name === THEIRS[tool] && (tool === "bash" ? part.startsWith(prefix) : true);
    });
  const parts = partsOf(tool, argument);
  const excluded = parts.flatMap((part) => matching(exclude, part));
  if (excluded.length > 0) return { action: "deny", by: excluded };
  const listed = parts.map((part) => (core === undefined ? ["anything"] : matching(core, part)));
  if (listed.some((entries) => entries.length === 0)) return { action: "deny", by: [] };
  const free = parts.map((part) => [...matching(allowed, part), ...builtIn(tool, argument)]);
  const isFree = free.every((entries) => entries.length > 0);
  return { action: isFree ? "allow" : "ask", by: [...listed.flat(), ...free.flat()] };
}

function builtIn(tool: string, argument: string): readonly string[] {
  const isReading = ["read", "glob", "grep"].includes(tool) && !/^[/~]/.test(argument);
  return isReading || tool === "web_search" ? ["(built in)"] : [];
}

const SETTINGS: readonly Tools[] = [
  {},
  { allowed: ["run_shell_command(git)", "run_shell_command(npm test)", "write_file"] },
  {
    core: ["run_shell_command(git)", "run_shell_command(npm)", "read_file"],
    exclude: ["run_shell_command(git push)"],
  },
  {
    core: ["run_shell_command", "read_file", "replace"],
    exclude: ["run_shell_command(rm)"],
    allowed: ["replace"],
  },
  { core: ["run_shell_command(git)"], allowed: ["run_shell_command(git status)"] },
  { exclude: ["run_shell_command", "write_file", "web_fetch"], allowed: ["web_fetch"] },
];

const CALLS: readonly (readonly [tool: string, argument: string])[] = [
  ...[
    "git status",
    "git status -s",
    "git push origin main",
    "git push --force",
    "gitk",
    "/usr/bin/git status",
    "git status && rm -rf x",
    "git log; npm test",
    "npm test",
    "npm install",
    "npm testify",
    "ls -l",
    "rm -rf build",
    "rmdir x",
    "git commit -m x",
    "sudo rm x",
  ].map((line) => ["bash", line] as const),
  ["read", "src/a.ts"],
  ["read", "/etc/passwd"],
  ["glob", "src/*.ts"],
  ["grep", "TODO"],
  ["write", "src/a.ts"],
  ["edit", "src/a.ts"],
  ["web_fetch", "https://example.com"],
  ["web_search", "how"],
];

async function compare(
  result: ImportedRules,
  theirs: Verdict,
  tool: string,
  argument: string,
): Promise<boolean> {
  const { action, line } = await decided(result, tool, argument);
  const call = `${tool} ${argument}: ${theirs.action} there, ${action} here`;
  expect(RANK[action], call).toBeGreaterThanOrEqual(RANK[theirs.action]);
  const isNamed = ({ entry, line: noted }: ImportNote) => theirs.by.includes(entry) || noted === line;
  if (action !== theirs.action) expect(result.notes.some(isNamed), call).toBe(true);
  return action === theirs.action;
}

describe("settings: no call is allowed that the documentation of Gemini CLI would not allow", () => {
  let same = 0;

  test.each(SETTINGS)("%j", async (tools) => {
    const newer = importGemini(JSON.stringify({ tools }, null, 2), { file: "settings.json" });
    const { core, exclude, allowed } = tools;
    const old = JSON.stringify({ coreTools: core, excludeTools: exclude, allowedTools: allowed }, null, 2);
    expect(importGemini(old, { file: "settings.json" }).rules).toHaveLength(newer.rules.length);
    for (const [tool, argument] of CALLS) {
      same += Number(await compare(newer, documented(tools, tool, argument), tool, argument));
    }
  });

  test("most calls are decided the same", () => {
    expect(same / (SETTINGS.length * CALLS.length)).toBeGreaterThan(0.7);
  });
});

describe("policy files: no call is allowed that the priorities would not allow", () => {
  interface Made {
    readonly toolName: string;
    readonly commandPrefix?: string;
    readonly decision: "allow" | "ask_user" | "deny";
    readonly priority: number;
  }
  const action = { allow: "allow", ask_user: "ask", deny: "deny" } as const;

  function byPriority(rules: readonly Made[], tool: string, argument: string): Verdict {
    const parts = partsOf(tool, argument).map((part) => {
      const matching = rules.filter(
        ({ toolName, commandPrefix = "" }) =>
          toolName === "*" ||
          (toolName === THEIRS[tool] && (tool !== "bash" || part.startsWith(commandPrefix))),
      );
      const top = Math.max(...matching.map(({ priority }) => priority));
      const winners = matching
        .filter(({ priority }) => priority === top)
        .map(({ decision }) => action[decision]);
      // Gemini CLI does not define the order of rules with the same priority: compare with the least strict one.
      const usual: Action = builtIn(tool, argument).length > 0 ? "allow" : "ask";
      return winners.toSorted((one, other) => RANK[one] - RANK[other])[0] ?? usual;
    });
    return { action: parts.toSorted((one, other) => RANK[other] - RANK[one])[0] ?? "ask", by: [] };
  }

  const written = (rules: readonly Made[]) =>
    rules
      .map((rule) =>
        ["[[rule]]", ...Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join(
          "\n",
        ),
      )
      .join("\n\n");

  test("with random rules and calls", async () => {
    const decision = fc.constantFrom("allow" as const, "ask_user" as const, "deny" as const);
    const priority = fc.constantFrom(1, 50, 100);
    const shell = fc.record({
      toolName: fc.constant("run_shell_command"),
      commandPrefix: fc.constantFrom("git", "git status", "rm", "npm t", "npm test"),
      decision,
      priority,
    });
    const whole = fc.record({ toolName: fc.constantFrom(...Object.values(THEIRS), "*"), decision, priority });
    const rules = fc.array(fc.oneof(shell, whole), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rules, fc.constantFrom(...CALLS), async (made, [tool, argument]) => {
        const result = importGemini(written(made), { file: "rules.toml" });
        expect(result.diagnostics).toEqual([]);
        const { action: imported } = await decided(result, tool, argument);
        expect(RANK[imported]).toBeGreaterThanOrEqual(RANK[byPriority(made, tool, argument).action]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a rule is read in every spelling of TOML, with its line", () => {
    const text = `\n[[rule]]\ntoolName = """write_file"""\ncommandPrefix = [\n  "git", # one\n  'npm',\n]\ndecision = "deny"\n\n[[rule]]\ntoolName = "glob"\ndecision = "deny"\n`;
    const { rules, diagnostics } = importGemini(text, { file: "rules.toml" });
    expect(diagnostics).toEqual([]);
    expect(new Set(rules.map(({ at }) => at))).toEqual(
      new Set(["rules.toml:2", "rules.toml:10", "rules.toml (built in)"]),
    );
  });

  test("a plain file is imported, with comments, lists and messages", async () => {
    const text = `# a comment\n[[rule]]\ntoolName = ["write_file", "replace"] # both\ndecision = "deny"\npriority = 10\ndenyMessage = 'No.'\n`;
    const result = importGemini(text, { file: "rules.toml" });
    expect(
      result.rules.filter(({ because }) => because === "No.").map(({ permission }) => permission),
    ).toEqual(["fs.write", "write", "fs.write", "edit"]);
    expect((await decided(result, "edit", "a")).action).toBe("deny");
  });

  test.each([
    "[[safety_checker]]\ntoolName = 'x'",
    "decision = 'allow'",
    "[[rule]]\ntoolName = 'x'",
    "[[rule]]\ntoolName = 'x'\ndecision = 'perhaps'",
    "[[rule]]\ndecision = 'allow'\nother = 1",
    "[[rule]]\ntoolName = 'x'\ntoolName = 'y'\ndecision = 'allow'",
    "[[rule]]\ntoolName = 'x'\npriority = 2024-01-01\ndecision = 'allow'",
    "[rule]\ntoolName = 'x'\ndecision = 'allow'",
    "[[rule]]\n__proto__ = 'x'\ndecision = 'allow'",
    "[[rule]]\ntoolAnnotations = { a = true }\ndecision = 'allow'",
  ])("a file with anything but plain rules is not imported: %s", (text) => {
    const { rules, diagnostics } = importGemini(text, { file: "rules.toml" });
    expect(rules).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toContain("not imported");
  });
});
