import type { JournalEvent } from "../contract/store/event.ts";

/** One line of the audit, under the names that audits of tool systems use. */
export interface AuditRecord {
  readonly name: "ToolInvocationStarted" | "ToolInvocationSucceeded" | "ToolInvocationFailed";
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  /** `unknown` when no tool of that name was found. */
  readonly origin: string;
  /** Which decision let the call run, or kept it from running. */
  readonly decidedBy?: string;
}

/** The audit's view of an event; `undefined` for events that say nothing about an invocation. */
export function toAudit(event: JournalEvent): AuditRecord | undefined {
  switch (event.type) {
    case "call-start":
      return { name: "ToolInvocationStarted", ...subject(event), decidedBy: event.allowedBy };
    case "call-end":
      return { name: event.ok ? "ToolInvocationSucceeded" : "ToolInvocationFailed", ...subject(event) };
    case "call-refuse":
      return {
        name: "ToolInvocationFailed",
        ...subject(event),
        decidedBy: event.deniedBy ?? `${event.stage}: ${event.code}`,
      };
    default:
      return undefined;
  }
}

function subject(event: { at: number; callId: string; tool: string; origin?: string }) {
  return { at: event.at, callId: event.callId, tool: event.tool, origin: event.origin ?? "unknown" };
}
