import type { Action } from "@toolkeep/core";
import { compilePolicy } from "@toolkeep/core/policy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../../node/src/commands/parse-command.ts";
import type { TestCall } from "../files/policy-file.ts";
import { callOfTest, policyContextOfTest } from "../files/test-call.ts";
import { importClaude } from "./import-claude.ts";
import type { ImportedRules, ImportNote } from "./imported-rules.ts";

const SETTING = { directories: { workspace: "/ws", home: "/home/user" }, parseCommand };
const OPTIONS = { file: "settings.json", home: SETTING.directories.home };
const RANK: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly defaultMode?: string;
}

function imported(permissions: Permissions): ImportedRules {
  return importClaude(JSON.stringify({ permissions }, null, 2), OPTIONS);
}

/** The decision of the imported rules, and the line of the rule that made it. */
async function decided(result: ImportedRules, tool: string, argument: string) {
  const { rules, isHeadless } = result;
  const policy = compilePolicy({ rules, builtIn: "off", variables: { workspace: ["/ws"] } });
  const [, server = "", name = ""] = /^mcp__(\w+?)__(\w+)$/.exec(tool) ?? [];
  const isRemote = server !== "";
  const call: TestCall = isRemote
    ? { kind: "mcp", server, tool: name, effects: [] }
    : { kind: "tool", tool, argument };
  const made = await callOfTest(call, {}, SETTING);
  const { action, at } = await policy.decide(made, policyContextOfTest({}, made));
  return {
    action: action === "ask" && isHeadless ? ("deny" as const) : action,
    line: Number(at?.split(":")[1] ?? -1),
  };
}

/** The decision according to the documentation of Claude Code, and the entries that made it. */
interface Verdict {
  readonly action: Action;
  readonly by: readonly string[];
}

function documented(permissions: Permissions, tool: string, argument: string): Verdict {
  const parts = tool === "bash" ? argument.split(/\s*(?:&&|\|\||[;|&])\s*/) : [argument];
  const matching = (list: readonly string[] = [], part: string) =>
    list.filter((entry) => matches(entry, tool, part));
  const denied = parts.flatMap((part) => matching(permissions.deny, part));
  if (denied.length > 0) return { action: "deny", by: denied };
  const asked = parts.flatMap((part) => matching(permissions.ask, part));
  if (asked.length > 0) return { action: "ask", by: asked };
  const allowed = parts.map((part) => [
    ...matching(permissions.allow, part),
    ...builtIn(permissions, tool, part),
  ]);
  if (allowed.every((entries) => entries.length > 0)) return { action: "allow", by: allowed.flat() };
  return { action: permissions.defaultMode === "dontAsk" ? "deny" : "ask", by: [] };
}

function builtIn({ defaultMode }: Permissions, tool: string, argument: string): readonly string[] {
  const isReading = ["read", "glob", "grep"].includes(tool) && !/^[/~]|\.\./.test(argument);
  const isShowing =
    tool === "bash" && /^(?:ls|cat|head|tail|wc|grep|git (?:status|diff|log))(?: |$)/.test(argument);
  const isEditing = (tool === "edit" || tool === "write") && defaultMode === "acceptEdits";
  return isReading || isShowing || isEditing ? ["(built in)"] : [];
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  Bash: ["bash"],
  Read: ["read", "glob", "grep"],
  Edit: ["edit", "write"],
  Write: ["write"],
  Grep: ["grep"],
  WebFetch: ["web_fetch"],
  WebSearch: ["web_search"],
};

function matches(entry: string, tool: string, argument: string): boolean {
  if (entry.startsWith("mcp__")) {
    return new RegExp(`^${entry.replaceAll("*", ".*")}${entry.split("__").length === 2 ? "__.*" : ""}$`).test(
      tool,
    );
  }
  const [, name = "", specifier] = /^(\w+)(?:\((.*)\))?$/.exec(entry) ?? [];
  if (NAMES[name]?.includes(tool) !== true) return false;
  if (specifier === undefined || specifier === "*") return true;
  if (name === "Bash") return textPattern(specifier.replace(/:\*$/, " *")).test(argument);
  // Claude Code checks paths only for reading and editing.
  if (name === "Write") return false;
  if (name === "WebFetch")
    return textPattern(specifier.replace("domain:", "")).test(new URL(argument).hostname);
  return pathPattern(specifier).test(pathOf(tool, argument));
}

/** The file, or the searched folder. */
function pathOf(tool: string, argument: string): string {
  if (tool === "grep") return "/ws";
  const path = tool === "glob" ? argument.replace(/\/[^/]*\*.*$/, "") : argument;
  return path.startsWith("~") ? path.replace("~", "/home/user") : `/ws/${path}`;
}

/** A `*` matches any text; a last one after a space also matches nothing. */
function textPattern(pattern: string): RegExp {
  const text = pattern.replaceAll(/[.+?^${}()|[\]\\/-]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${text.replace(/ \.\*$/, "(?: .*)?")}$`);
}

function pathPattern(specifier: string): RegExp {
  const anyDepth = specifier.includes("/") ? "" : "**/";
  const path = specifier
    .replace(/^\/\//, "//")
    .replace(/^~/, "//home/user")
    .replace(/^(?:\.\/|\/(?!\/))/, "");
  const absolute = path.startsWith("//") ? path.slice(1) : `/ws/${anyDepth}${path}`;
  const text = absolute
    .replaceAll(/[.+^$()|[\]\\]/g, "\\$&")
    .replaceAll("**/", "\u0001")
    .replaceAll("**", "\u0002")
    .replaceAll("*", "[^/]*")
    .replaceAll("\u0001", "(?:.*/)?")
    .replaceAll("\u0002", ".*");
  return new RegExp(`^${text}(?:/.*)?$`);
}

const SETTINGS: readonly Permissions[] = [
  {},
  {
    allow: ["Bash(npm run test:*)", "Bash(git diff *)", "Bash(git commit:*)", "Bash(git status)"],
    deny: ["Bash(git push:*)"],
  },
  {
    allow: ["Bash(git:*)", "Edit(/src/**)", "Read(//etc/hosts)"],
    ask: ["Bash(git push *)", "Edit(/src/gen/**)"],
  },
  {
    allow: ["Bash(git status)", "Read(~/notes/**)"],
    ask: ["Bash(git *)", "Grep"],
    deny: ["Read(.env)", "Read(~/.ssh/**)"],
  },
  { allow: ["Bash", "Edit"], deny: ["Bash(rm *)", "Bash(curl:*)", "Edit(.github/**)", "Bash(git * main)"] },
  {
    allow: ["WebFetch(domain:example.com)", "WebFetch(domain:*.docs.example)", "WebSearch", "mcp__github"],
    ask: ["mcp__github__delete_repo"],
  },
  {
    allow: ["mcp__github__get_issue", "Bash(ls*)", "Bash(* --version)", "Write(docs/**)"],
    ask: ["mcp__github"],
    deny: ["mcp__evil__*", "WebFetch"],
  },
  { allow: ["Bash(npm test)", "Read"], defaultMode: "dontAsk" },
  { allow: ["Bash(make *)"], deny: ["Write", "Bash(* --force)"], defaultMode: "acceptEdits" },
];

const CALLS: readonly (readonly [tool: string, argument: string])[] = [
  ...[
    "git status",
    "git diff src",
    "git diff --output=x",
    "git commit -m x",
    "git push origin main",
    "git merge main",
    "npm run test",
    "npm run test:unit",
    "npm test",
    "npm test && rm -rf x",
    "ls -la",
    "lsof",
    "rm -rf build",
    "curl https://example.com",
    "node --version",
    "make build",
    "git branch x --force",
    "cat a | wc -l",
  ].map((line) => ["bash", line] as const),
  ...["src/a.ts", ".env", "packages/a/.env", "~/.ssh/id_rsa", "~/notes/a.md"].map(
    (path) => ["read", path] as const,
  ),
  ...["src/a.ts", "src/gen/a.ts", ".github/workflows/ci.yml", "docs/a.md"].flatMap(
    (path) =>
      [
        ["edit", path],
        ["write", path],
      ] as const,
  ),
  ["grep", "TODO"],
  ["glob", "src/*.ts"],
  ["web_fetch", "https://example.com/a"],
  ["web_fetch", "https://a.docs.example/"],
  ["web_fetch", "https://example.com.evil.example/"],
  ["web_search", "how"],
  ["mcp__github__get_issue", ""],
  ["mcp__github__delete_repo", ""],
  ["mcp__evil__run", ""],
];

describe("no call is allowed that the documentation of Claude Code would not allow", () => {
  const tally = { same: 0, stricter: 0 };

  test.each(SETTINGS)("%j", async (permissions) => {
    const result = imported(permissions);
    expect(result.diagnostics).toEqual([]);
    for (const [tool, argument] of CALLS) {
      const theirs = documented(permissions, tool, argument);
      const { action: imported, line } = await decided(result, tool, argument);
      const call = `${tool} ${argument}: Claude Code ${theirs.action}, imported ${imported}`;
      expect(RANK[imported], call).toBeGreaterThanOrEqual(RANK[theirs.action]);
      tally[imported === theirs.action ? "same" : "stricter"] += 1;
      if (imported === theirs.action) continue;
      const isNamed = ({ entry, line: noted }: ImportNote) => theirs.by.includes(entry) || noted === line;
      expect(result.notes.some(isNamed), call).toBe(true);
    }
  });

  test("most calls are decided the same", () => {
    expect(tally.same + tally.stricter).toBe(SETTINGS.length * CALLS.length);
    expect(tally.same / (tally.same + tally.stricter)).toBeGreaterThan(0.8);
  });

  test("with random entries and commands", async () => {
    const words = [..."git push status * npm run test:* te* -f --all *x a*b && {a,b} ?".split(" "), "'a b'"];
    const entry = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
      .chain((parts) => fc.constantFrom(`Bash(${parts.join(" ")})`, `Bash(${parts.join(" ")}:*)`));
    const list = fc.array(entry, { maxLength: 2 });
    const argument = fc.constantFrom(
      ..."git push status npm run test:a test -f --all ax azb ? gits".split(" "),
    );
    const command = fc.array(argument, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(" "));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ allow: list, ask: list, deny: list }),
        command,
        async (permissions, line) => {
          const { action } = await decided(imported(permissions), "bash", line);
          expect(RANK[action]).toBeGreaterThanOrEqual(RANK[documented(permissions, "bash", line).action]);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("with random entries and paths", async () => {
    const start = fc.constantFrom("", "./", "/", "//ws/", "~/", "//");
    const part = fc.constantFrom("a", "*", "**", ".env", "*.ts", "ws");
    const entry = fc
      .tuple(fc.constantFrom("Read", "Edit"), start, fc.array(part, { minLength: 1, maxLength: 3 }))
      .map(([tool, before, parts]) => `${tool}(${before}${parts.join("/")})`);
    const list = fc.array(entry, { maxLength: 2 });
    const path = fc.array(fc.constantFrom("a", "b", ".env", "x.ts"), { minLength: 1, maxLength: 4 });
    const argument = fc
      .tuple(fc.constantFrom("", "~/"), path)
      .map(([before, parts]) => before + parts.join("/"));
    const call = fc.tuple(fc.constantFrom("read", "edit", "write"), argument);
    await fc.assert(
      fc.asyncProperty(
        fc.record({ allow: list, ask: list, deny: list }),
        call,
        async (permissions, [tool, at]) => {
          const { action } = await decided(imported(permissions), tool, at);
          expect(RANK[action]).toBeGreaterThanOrEqual(RANK[documented(permissions, tool, at).action]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
