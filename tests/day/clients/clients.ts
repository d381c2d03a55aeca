import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import type { RealClient } from "./real-client.ts";

/** All clients that are driven for real. */
export const REAL_CLIENTS: readonly RealClient[] = [claudeCode, geminiCli, codex, copilot, opencode];

export function clientCalled(name: string): RealClient {
  const found = REAL_CLIENTS.find((client) => client.name === name);
  if (found === undefined) throw new Error(`There is no client ${name}.`);
  return found;
}
