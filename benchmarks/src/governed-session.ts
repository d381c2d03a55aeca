import {
  createSession,
  defineTool,
  type Rule,
  type Session,
  type Tool,
  type ToolResult,
} from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { executeFindText, findText, findTextSchema } from "./find-text-tool.ts";

/** The measured tool with everything a governed tool declares. */
export function governedTool(name: string): Tool {
  return defineTool({
    name,
    description: findText.description,
    inputSchema: findTextSchema,
    requires: { fs: { read: ["/data/**"] } },
    effects: (args) => [fsRead(args.path)],
    mode: "read",
    idempotent: true,
    execute: (args) => executeFindText(args),
  });
}

/** A session with all governance: 50 rules, the built-in watchdogs and one more, a gate, an observer, a journal. */
export async function governedSession(tools: readonly Tool[]): Promise<Session> {
  return await createSession({
    tools,
    policy: {
      rules: fiftyRules(),
      watchdogs: [{ name: "all-seeing", evaluate: () => ({ action: "allow" }) }],
    },
    gates: [{ name: "open", before: () => true }],
    observers: [{ name: "silent", onAfterTool() {} }],
  });
}

/** Throws if a call failed, because its time is meaningless. */
export function assertOk(result: ToolResult): ToolResult {
  if (!result.ok) throw new Error(`call ${result.callId} failed: ${JSON.stringify(result.failure)}`);
  return result;
}

/** One rule that allows the call, among others that do not match it. */
function fiftyRules(): readonly Rule[] {
  const others = Array.from({ length: 49 }, (_, index): Rule => {
    const permission = index % 2 === 0 ? "fs.read" : "fs.write";
    return { permission, pattern: `/private/area-${index}/**`, action: index % 3 === 0 ? "deny" : "ask" };
  });
  return [...others, { permission: "fs.read", pattern: "/data/**", action: "allow" }];
}
