import type { InstallClientName } from "../../clients/install-client.ts";

interface Traces {
  readonly project: readonly string[];
  readonly programs: readonly string[];
  readonly user: readonly string[];
}

export const TRACES: Readonly<Record<InstallClientName, Traces>> = {
  "claude-code": {
    project: [".claude", ".mcp.json"],
    programs: ["claude"],
    user: ["~/.claude.json", "~/.claude"],
  },
  cursor: { project: [".cursor"], programs: ["cursor", "cursor-agent"], user: ["~/.cursor"] },
  vscode: { project: [".vscode/mcp.json"], programs: ["code"], user: ["~/.config/Code/User/mcp.json"] },
  codex: { project: [".codex"], programs: ["codex"], user: ["~/.codex"] },
  copilot: { project: [".github/hooks", ".github/mcp.json"], programs: ["copilot"], user: ["~/.copilot"] },
  opencode: {
    project: [".opencode", "opencode.json", "opencode.jsonc"],
    programs: ["opencode"],
    user: ["~/.config/opencode"],
  },
};
