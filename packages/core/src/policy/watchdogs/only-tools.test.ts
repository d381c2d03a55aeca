import { expect, test } from "vitest";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { onlyTools, type ToolLists } from "./only-tools.ts";

function allowed(lists: ToolLists, ...tools: readonly string[]): readonly string[] {
  const watchdog = onlyTools(lists);
  return tools.filter((name) => {
    const [, serverId, tool] = name.split(":");
    const call =
      serverId === undefined || tool === undefined
        ? policyCall({ tool: name, effects: [] })
        : policyCall({ tool: `${serverId}_${tool}`, effects: [], source: "mcp", remote: { serverId, tool } });
    const verdict = watchdog.evaluate(call, policyContext());
    return "action" in verdict && verdict.action === "allow";
  });
}

test("[C85] an agent is held to the tools that it includes", () => {
  expect(allowed({ include: ["read", "git_*"] }, "read", "git_status", "git", "write")).toEqual([
    "read",
    "git_status",
  ]);
  expect(allowed({}, "read", "write")).toEqual(["read", "write"]);
  expect(allowed({ include: [] }, "read")).toEqual([]);
});

test("[C85] what it excludes counts more", () => {
  expect(allowed({ exclude: ["write"] }, "read", "write")).toEqual(["read"]);
  expect(allowed({ include: ["*"], exclude: ["git_*"] }, "read", "git_push")).toEqual(["read"]);
});

test("[C85] tools of a server go by their address", () => {
  const tools = ["mcp:github:get_issue", "mcp:github:create_issue", "mcp:other:get_issue"];
  expect(allowed({ include: ["mcp:github:get_*"] }, ...tools)).toEqual(["mcp:github:get_issue"]);
  expect(allowed({ exclude: ["mcp:github:*"] }, ...tools)).toEqual(["mcp:other:get_issue"]);
  expect(allowed({ include: ["github_get_issue"] }, ...tools)).toEqual(["mcp:github:get_issue"]);
});

test("an entry that names nothing is refused", () => {
  expect(() => onlyTools({ include: [""] })).toThrow(/names no tool/);
  expect(() => onlyTools({ exclude: [7 as unknown as string] })).toThrow(/names no tool/);
});
