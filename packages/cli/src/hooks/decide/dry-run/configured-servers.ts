import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment, HookClientName } from "../../../clients/hook-call.ts";
import { WORKSPACE_FOLDER } from "../../../clients/install-client.ts";
import { clearEntries } from "../../../clients/json-edit.ts";
import { usesLocalServers } from "../../../clients/local-servers.ts";
import { CLAUDE_SERVERS } from "../../../clients/managed-files.ts";
import { isFields } from "../../../clients/payload.ts";
import { userPath } from "../../../clients/user-path.ts";

/** A server in a client's own configuration. */
export interface ConfiguredServer {
  readonly name: string;
  readonly entry: unknown;
  /** Whether it is the user's own for one project. */
  readonly isLocal?: true;
}

const MOST_BYTES = 32_000_000;

/**
 * Every server in all configuration files of a client. Of the servers of one name in Claude Code's files, only the
 * user's own for this project, if there is one: it replaces the others.
 * `undefined` if a file cannot be read, or if parsers may read it differently.
 */
export async function configuredServers(
  client: HookClientName,
  project: string,
  environment?: Environment,
): Promise<readonly ConfiguredServer[] | undefined> {
  const found: ConfiguredServer[] = [];
  for (const { file, keys } of CONFIGURATIONS[client](project, environment)) {
    const text = await readBounded(file);
    if (text === undefined) return undefined;
    for (const key of keys) {
      const entries = clearEntries(text, key);
      if (entries === undefined) return undefined;
      const isLocal = key.length > 1;
      for (const [name, entry] of entries) found.push({ name, entry, ...(isLocal ? { isLocal } : {}) });
    }
  }
  if (client !== "claude-code" || !usesLocalServers(project, environment)) return found;
  const local = new Set(found.filter(({ isLocal }) => isLocal === true).map(({ name }) => name));
  return found.filter(({ name, isLocal }) => isLocal === true || !local.has(name));
}

/** The paths of these files. */
export function configurationFiles(
  client: HookClientName,
  project: string,
  environment?: Environment,
): readonly string[] {
  return CONFIGURATIONS[client](project, environment).map(({ file }) => file);
}

/** The name of a server as clients write it in the names of tools. */
export function nameInTools(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** The command line of an entry, as clients send it; `undefined` for an entry without a command. */
export function commandText(entry: unknown, project: string): string | undefined {
  if (!isFields(entry) || typeof entry["command"] !== "string") return undefined;
  const args = Array.isArray(entry["args"]) ? entry["args"].map(String) : [];
  return [entry["command"], ...args].join(" ").replaceAll(WORKSPACE_FOLDER, project);
}

interface Configuration {
  readonly file: string;
  /** Where the servers are in it. */
  readonly keys: readonly (readonly string[])[];
}

type ConfigurationsOf = (project: string, environment?: Environment) => readonly Configuration[];

const CONFIGURATIONS: Readonly<Record<HookClientName, ConfigurationsOf>> = {
  "claude-code": (project, environment) => {
    // Where an administrator has this file, the client starts no other servers.
    if (existsSync(CLAUDE_SERVERS)) return [{ file: CLAUDE_SERVERS, keys: [["mcpServers"]] }];
    return [
      { file: join(project, ".mcp.json"), keys: [["mcpServers"]] },
      ...[...ofUser("~/.claude.json"), ...movedClaude(environment)].map((file) => ({
        file,
        keys: [["projects", project, "mcpServers"], ["mcpServers"]],
      })),
    ];
  },
  cursor: inBoth(".cursor", "mcp.json"),
  "gemini-cli": inBoth(".gemini", "settings.json"),
  // Its files are TOML, which is not read here: its servers are never taken to be behind the gateway.
  codex: () => [],
  copilot: (project, environment) => [
    { file: join(project, ".mcp.json"), keys: [["mcpServers"]] },
    { file: join(project, ".github", "mcp.json"), keys: [["mcpServers"]] },
    ...ofUser("~/.copilot/mcp-config.json", environment).map((file) => ({ file, keys: [["mcpServers"]] })),
  ],
  opencode: (project, environment) =>
    [project, ...ofUser("~/.config/opencode", environment)].flatMap((folder) =>
      ["opencode.json", "opencode.jsonc"].map((name) => ({ file: join(folder, name), keys: [["mcp"]] })),
    ),
};

/** Where the file is, and where it would be without variables: a project may set those of a hook, and not the client's. */
function ofUser(name: string, environment?: Environment): readonly string[] {
  return [...new Set([userPath(name, environment), userPath(name, {})])];
}

function movedClaude({ CLAUDE_CONFIG_DIR: folder = "" }: Environment = process.env): readonly string[] {
  return folder === "" ? [] : [join(folder, ".claude.json")];
}

/** A file of the project, and the same one in the home directory. */
function inBoth(folder: string, file: string) {
  return (project: string): readonly Configuration[] =>
    [project, homedir()].map((base) => ({ file: join(base, folder, file), keys: [["mcpServers"]] }));
}

/** Empty if the file does not exist. */
async function readBounded(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).size > MOST_BYTES ? undefined : await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "" : undefined;
  }
}
