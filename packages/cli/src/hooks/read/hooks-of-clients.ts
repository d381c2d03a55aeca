import type { HookClient, HookClientName } from "../../clients/hook-call.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";

/** The hook protocol of every client. */
export const HOOKS: Readonly<Record<HookClientName, HookClient>> = {
  "claude-code": claudeCode,
  cursor,
  "gemini-cli": geminiCli,
  codex,
  copilot,
  opencode,
};
