import { compilePolicy } from "@toolkeep/core/policy";
import { describe, expect, test } from "vitest";
import { decisionOnTool, isNamed } from "./decision-on-tool.ts";

const rules = (...lines: readonly string[]) => compilePolicy(lines).definition.rules;

const ISSUE = {
  names: ["github_get_issue", "mcp:github:get_issue"],
  capabilities: ["mcp.call"],
  isUngated: false,
};
const WRITE = { names: ["write"], capabilities: ["fs.write"], isUngated: false };
const EDIT = { names: ["edit"], capabilities: ["fs.read", "fs.write"], isUngated: false };
const TODO = { names: ["todo"], capabilities: [], isUngated: true };

describe("what the rules say about every call of a tool", () => {
  test.each([
    [ISSUE, [], "ask", "no rule matches it"],
    [ISSUE, ["allow mcp:github:get_*"], "allow", "allow mcp:github:get_*"],
    [ISSUE, ["allow mcp:gitlab:*"], "ask", "no rule matches it"],
    [
      ISSUE,
      ["allow mcp:github:*", "ask mcp:github:get_issue"],
      "depends",
      "the rules depend on its arguments",
    ],
    [ISSUE, ["allow mcp:github:*", "deny mcp:github:get_issue"], "deny", "deny mcp:github:get_issue"],
    [ISSUE, ["allow mcp:github:* if sandboxed"], "depends", "the rules depend on its arguments"],
    [WRITE, ['allow fs.write "{workspace}/docs/**"'], "depends", "the rules depend on its arguments"],
    [WRITE, ["deny fs.write"], "deny", "deny fs.write"],
    [WRITE, ["deny fs.*"], "deny", "deny fs.*"],
    [WRITE, ["allow *"], "allow", "allow *"],
    // One segment where it allows; a deny is read as one on everything.
    [WRITE, ['allow fs.write "*"'], "depends", "the rules depend on its arguments"],
    [WRITE, ['deny write "*"'], "deny", 'deny write "**"'],
    [ISSUE, ['deny mcp.call "*"'], "deny", 'deny mcp.call "*"'],
    [WRITE, ["allow fs.write", "ask write"], "ask", "ask write"],
    [WRITE, ["deny fs.write if forced", "allow fs.write"], "depends", "the rules depend on its arguments"],
    [EDIT, ["deny fs.write"], "depends", "the rules depend on its arguments"],
    [EDIT, ["allow fs.read"], "depends", "the rules depend on its arguments"],
    [EDIT, ["allow edit"], "allow", "allow edit"],
    [EDIT, ["allow edit", "deny fs.*"], "deny", "deny fs.*"],
    [EDIT, ["allow fs.*"], "allow", "allow fs.*"],
    [TODO, [], "allow", "it has no effects"],
    [TODO, ["ask todo"], "ask", "ask todo"],
    [TODO, ["deny *"], "deny", "deny *"],
  ] as const)("%j with %j is %s", (tool, lines, action, by) => {
    expect(decisionOnTool(tool, rules(...lines))).toMatchObject({ action, by });
  });

  test("an entry of a list names a tool by its name, its address or a pattern", () => {
    expect(isNamed("mcp:github:*", ISSUE.names)).toBe(true);
    expect(isNamed("github_get_issue", ISSUE.names)).toBe(true);
    expect(isNamed("github_get", ISSUE.names)).toBe(false);
  });
});
