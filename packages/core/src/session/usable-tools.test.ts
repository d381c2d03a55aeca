import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Effect } from "../contract/call/effect.ts";
import { defineTool } from "../contract/tool/define-tool.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import { policyContext } from "../policy/rules/policy-call.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSession } from "./on-demand.ts";
import { usableTools, usableUnder } from "./usable-tools.ts";

const EFFECTS: Readonly<Record<string, readonly Effect[]>> = {
  read: [{ capability: "fs.read", target: "/project/a.txt" }],
  write: [{ capability: "fs.write", target: "/project/a.txt" }],
  edit: [
    { capability: "fs.read", target: "/project/a.txt" },
    { capability: "fs.write", target: "/project/a.txt" },
  ],
  todo: [],
};

const registry = createRegistry();
for (const [name, effects] of Object.entries(EFFECTS))
  registry.register(
    defineTool({
      name,
      description: name,
      inputSchema: { type: "object" },
      requires: {
        fs: {
          ...(name === "read" || name === "edit" ? { read: ["/project/**"] } : {}),
          ...(name === "write" || name === "edit" ? { write: ["/project/**"] } : {}),
        },
      },
      gated: name !== "todo",
      effects: () => effects,
      execute: () => "",
    }),
  );
const TOOLS = registry.list();
const usable = (...lines: readonly string[]) =>
  usableUnder([{ rules: lines }], TOOLS).map(({ name }) => name);
const ALL = ["read", "write", "edit", "todo"];

describe("the tools that rules leave to a model", () => {
  test.each([
    [[], ALL],
    [["deny write"], ["read", "edit", "todo"]],
    [["deny fs.write"], ["read", "edit", "todo"]],
    [["deny fs.*"], ["todo"]],
    [["deny fs.write /etc/**", "deny read if untrusted"], ALL],
    [["deny *"], []],
    [["deny *", "allow read", "allow fs.read"], ["read"]],
  ] as const)("with %j they are %j", (lines, names) => {
    expect(usable(...lines)).toEqual(names);
  });

  test("a subagent has none that the rules of its parent deny", async () => {
    const tools = TOOLS.map(({ tool }) => tool);
    await using parent = await createSession({ tools, policy: ["deny write"] });
    await using child = await createSession({
      tools,
      policy: ["deny read"],
      parent: parent.childContext("child"),
    });
    expect(usableTools(child).map(({ name }) => name)).toEqual(["edit", "todo"]);
  });

  test("every call of a tool that is left out is denied", async () => {
    const permission = fc.constantFrom("*", "read", "write", "edit", "todo", "fs.read", "fs.write", "fs.*");
    const rule = fc.record({
      permission,
      action: fc.constantFrom("allow", "ask", "deny"),
      pattern: fc.constantFrom("*", "**", "/project/**", "/etc/**"),
      scope: fc.constantFrom("manifest", "project", "session"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }), async (rules) => {
        const left = new Set(usableUnder([{ rules }], TOOLS));
        const compiled = compilePolicy({ rules });
        for (const tool of TOOLS) {
          if (left.has(tool)) continue;
          expect((await compiled.decide(callOf(tool), policyContext())).action).toBe("deny");
        }
      }),
      { numRuns: 300 },
    );
  });
});

function callOf(found: RegisteredTool) {
  const effects = (EFFECTS[found.name] ?? []).map((one) => ({ ...one, known: "declared" as const }));
  return { id: "1", found, args: {}, argsText: "{}", effects };
}
