import { expect, test } from "vitest";
import { fsWrite } from "../contract/call/effect.ts";
import { ToolFailure } from "../contract/call/result.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";
import { executeTool } from "./execute-tool.ts";
import { createBudgets } from "./token-budget.ts";

test("[C86] a call by name takes the nine steps in order: each stops what comes after it", async () => {
  const log: string[] = [];
  const observer = {
    name: "log",
    onToolsDisabled: () => void log.push("disabled"),
    onPermissionDenied: () => void log.push("permission"),
    onTokenBudgetExceeded: () => void log.push("budget"),
    onBeforeTool: () => void log.push("before"),
    onToolError: () => void log.push("error"),
    onAfterTool: () => void log.push("after"),
  };
  let left = 1;
  const { tool } = stubTool(
    "writer",
    () => {
      log.push("execute");
      left -= 1;
      if (left >= 0) throw new ToolFailure("busy", "Busy.", { transient: true });
      return "done";
    },
    { requires: { fs: { write: ["/**"] } }, effects: () => [fsWrite("/a")] },
  );
  const newBudget = await createBudgets({ tokens: 5 });
  const request = { toolName: "writer", parameters: {}, role: "coder", workspace: "docs" };
  const step = async (more: object, parameters: Record<string, unknown> = {}) => {
    log.length = 0;
    left = 1;
    const session = await createSession({
      tools: [tool],
      observers: [observer],
      limits: { retry: { unitMs: 1 } },
      approver: async () => {
        log.push("approval");
        return { verdict: "once" };
      },
      ...more,
    });
    const dict = await executeTool(session, { ...request, parameters, budget: newBudget() });
    return [(dict["failure"] as { code: string } | undefined)?.code ?? "ok", ...log];
  };
  expect(await step({ limits: { toolsEnabled: false } })).toEqual(["tools_disabled", "disabled"]);
  expect(await step({ tools: [] })).toEqual(["not_found"]);
  expect(await step({ policy: [{ permission: "writer", action: "deny" }] })).toEqual([
    "denied",
    "permission",
  ]);
  expect(await step({}, { text: "far more words than five tokens would ever pay for" })).toEqual([
    "budget_exceeded",
    "approval",
    "budget",
  ]);
  expect(await step({})).toEqual([
    "ok",
    "approval",
    "before",
    "execute",
    "error",
    "before",
    "execute",
    "after",
  ]);
});

test("[C86] a call may bring a budget of its own", async () => {
  const session = await createSession({ tools: [stubTool("a").tool] });
  const parameters = { text: "far more words than five tokens would ever pay for" };
  const dict = await executeTool(session, { toolName: "a", parameters, maxTokens: 5 });
  expect(dict).toMatchObject({ success: false, failure: { code: "budget_exceeded" } });
});

test("[C91] role and workspace have defaults; no name, or a command tool without a command, fails at once", async () => {
  const seen: unknown[] = [];
  const bash = stubTool("bash_manager");
  const observer = {
    name: "o",
    onBeforeTool: ({ role, workspace }: object & { role: string; workspace: string }) =>
      void seen.push([role, workspace]),
  };
  const session = await createSession({ tools: [bash.tool], observers: [observer] });
  const run = (toolName: string, parameters: Record<string, unknown>) =>
    executeTool(session, { toolName, parameters });
  expect(await run("  ", {})).toMatchObject({ success: false, failure: { code: "empty_tool_name" } });
  for (const parameters of [{}, { command: "" }, { command: 3 }]) {
    expect(await run("bash_manager", parameters)).toMatchObject({
      failure: { code: "missing_required_param" },
    });
  }
  expect(bash.executed).toEqual([]);
  expect(await run("bash_manager", { command: "ls" })).toMatchObject({ success: true, data: "done" });
  expect(seen).toEqual([["agent", "main"]]);
});
