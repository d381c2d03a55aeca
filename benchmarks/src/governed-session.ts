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

/** A session with all of the governance switched on: 50 rules, the watchdogs that ship and one more, a gate, an observer, a journal. */
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

/** A governed call that failed is a broken benchmark, not a slow one. */
export function assertOk(result: ToolResult): ToolResult {
  if (!result.ok) throw new Error(`call ${result.callId} failed: ${JSON.stringify(result.failure)}`);
  return result;
}

/** One rule that allows what the tool does, among others that are about something else. */
function fiftyRules(): readonly Rule[] {
  const others = Array.from({ length: 49 }, (_, index): Rule => {
    const permission = index % 2 === 0 ? "fs.read" : "fs.write";
    return { permission, pattern: `/private/area-${index}/**`, action: index % 3 === 0 ? "deny" : "ask" };
  });
  return [...others, { permission: "fs.read", pattern: "/data/**", action: "allow" }];
}
