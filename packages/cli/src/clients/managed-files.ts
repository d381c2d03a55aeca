import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { InstallClientName } from "./install-client.ts";

const CLAUDE = process.platform === "darwin" ? "Library/Application Support/ClaudeCode" : "etc/claude-code";
const CURSOR = process.platform === "darwin" ? "Library/Application Support/Cursor" : "etc/cursor";

/** The clients whose managed settings `install --managed` writes. */
export const MANAGED_CLIENTS = ["claude-code", "cursor"] as const;

export interface ManagedFiles {
  readonly hooks: string;
  /** Where it is there, the client starts no other servers. */
  readonly servers?: string;
}

/** Where clients document files of an administrator, below the root folder. */
const FILES: Readonly<Record<(typeof MANAGED_CLIENTS)[number], ManagedFiles>> = {
  "claude-code": { hooks: `${CLAUDE}/managed-settings.json`, servers: `${CLAUDE}/managed-mcp.json` },
  cursor: { hooks: `${CURSOR}/hooks.json` },
};

/** The only servers that Claude Code starts, where an administrator has this file. */
export const CLAUDE_SERVERS = `/${CLAUDE}/managed-mcp.json`;

/** @throws CommandError for a client without such files. */
export function managedFilesOf(client: InstallClientName): ManagedFiles {
  const known = MANAGED_CLIENTS.find((one) => one === client);
  if (known !== undefined) return FILES[known];
  throw new CommandError(`Toolkeep writes no managed settings for ${client}.`, {
    exit: EXIT.usage,
    hint:
      client === "codex"
        ? "Codex reads /etc/codex/requirements.toml. Install for claude-code or cursor first, then add the hooks of `toolkeep init codex --dry-run` there with the launcher /etc/toolkeep/bin/toolkeep, and `allow_managed_hooks_only = true`."
        : `${client} documents no hooks of an administrator. Run \`toolkeep init ${client}\` in each project.`,
  });
}
