/** What conditions in `when` can ask for, besides the principal. */
export const FURTHER_FACTS = ["args", "now", "earlier"] as const;

/** Tools that a test can name with their single argument. */
export const SHORTHAND_TOOLS = [
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "bash",
  "web_fetch",
  "web_search",
] as const;

export const TEST_FLAGS = [
  "sandboxed",
  "trusted",
  "forced",
  "versions-only",
  "own-code",
  "untrusted",
  "private",
] as const;
export const TEST_NAMES = ["user", "tenant", "agent", "environment", "role"] as const;

export const TEST_FIELDS = [
  ...SHORTHAND_TOOLS,
  "effect",
  "tool",
  "effects",
  ...TEST_FLAGS,
  ...TEST_NAMES,
  "groups",
  ...FURTHER_FACTS,
  "expect",
  "by",
] as const;
