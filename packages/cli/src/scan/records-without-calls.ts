/** Kinds of records that hold no calls, as Claude Code 2.1.325 wrote them on 16 November 2026, and older ones. */
export const CLAUDE_RECORDS: ReadonlySet<string> = new Set([
  ...["user", "system", "attachment", "summary", "progress", "queue-operation", "last-prompt", "cost-state"],
  ...["api-request", "api-request-shape", "api-request-blob", "tools-used", "atis-latch"],
  ...["file-history-snapshot", "custom-title", "ai-title", "agent-name", "permission-mode"],
]);

/** Kinds of records that hold no calls, as Codex 0.166.0 wrote them on 16 November 2026, and older ones. */
export const CODEX_RECORDS: ReadonlySet<string> = new Set([
  ...["session_meta", "turn_context", "event_msg", "world_state", "token_usage_record", "compacted"],
]);

/** Kinds of items that hold no calls of Codex's tools. */
export const CODEX_ITEMS: ReadonlySet<string> = new Set([
  ...["message", "reasoning", "function_call_output", "custom_tool_call_output", "local_shell_call_output"],
  // The provider searches, and no hook sees it.
  ...["web_search_call", "ghost_snapshot", "compaction", "compaction_summary"],
]);

/** Kinds of messages that hold no calls, as Gemini CLI 0.61.0 wrote them on 16 November 2026, and older ones. */
export const GEMINI_MESSAGES: ReadonlySet<string> = new Set(["user", "info", "error", "warning"]);

/** Kinds of parts that hold no calls, as opencode 1.18.33 wrote them on 16 November 2026, and older ones. */
export const OPENCODE_PARTS: ReadonlySet<string> = new Set([
  ...["text", "reasoning", "file", "step-start", "step-finish", "snapshot", "patch", "agent", "retry"],
  ...["compaction", "subtask"],
]);
