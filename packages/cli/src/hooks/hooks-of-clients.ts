import { claudeCode } from "./clients/claude-code.ts";
import { codex } from "./clients/codex.ts";
import { copilot } from "./clients/copilot.ts";
import { cursor } from "./clients/cursor.ts";
import { geminiCli } from "./clients/gemini-cli.ts";
import { opencode } from "./clients/opencode.ts";
import type { HookClient, HookClientName } from "./hook-call.ts";

/** The hook protocol of every client. */
export const HOOKS: Readonly<Record<HookClientName, HookClient>> = {
  "claude-code": claudeCode,
  cursor,
  "gemini-cli": geminiCli,
  codex,
  copilot,
  opencode,
};
