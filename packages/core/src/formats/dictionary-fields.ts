import type { ToolResult } from "../contract/call/result.ts";

/** Fields of a result that an envelope has among its metadata. */
export const OPTIONAL_FIELDS = [
  "origin",
  "failure",
  "truncation",
  "content",
  "details",
  "childId",
  "terminal",
  "needsFollowup",
  "nextAction",
  "message",
] as const satisfies readonly (keyof ToolResult)[];

/** Names of fields in a dictionary. */
export const SNAKE_NAMES: Readonly<Record<string, string>> = {
  callId: "tool_call_id",
  toolName: "tool_name",
  childId: "child_loop_id",
  needsFollowup: "needs_followup",
  nextAction: "next_action",
  startedAt: "started_at",
  durationMs: "duration_ms",
};
