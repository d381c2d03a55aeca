import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { WORKSPACE_FOLDER } from "../install/install-client.ts";
import { clearEntries } from "../install/json-edit.ts";
import type { HookClientName } from "./hook-call.ts";
import { isFields } from "./payload.ts";

/** A server as a client's own configuration has it. */
export interface ConfiguredServer {
  readonly name: string;
  readonly entry: unknown;
}

const MOST_BYTES = 32_000_000;

/**
 * Every server that a client's configuration names, from all of its files.
 * `undefined` where one of them cannot be read, or could be read in two ways.
 */
export async function configuredServers(
  client: HookClientName,
  project: string,
): Promise<readonly ConfiguredServer[] | undefined> {
  const found: ConfiguredServer[] = [];
  for (const { file, keys } of configurations(client, project)) {
    const text = await readBounded(file);
    if (text === undefined) return undefined;
    for (const key of keys) {
      const entries = clearEntries(text, key);
      if (entries === undefined) return undefined;
      for (const [name, entry] of entries) found.push({ name, entry });
    }
  }
  return found;
}

/** The files that these are. */
export function configurationFiles(client: HookClientName, project: string): readonly string[] {
  return configurations(client, project).map(({ file }) => file);
}

/** As clients write names of servers into names of tools. */
export function nameInTools(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** The words that an entry starts, as clients tell them in one text; `undefined` for one that starts nothing. */
export function startedText(entry: unknown, project: string): string | undefined {
  if (!isFields(entry) || typeof entry["command"] !== "string") return undefined;
  const args = Array.isArray(entry["args"]) ? entry["args"].map(String) : [];
  return [entry["command"], ...args].join(" ").replaceAll(WORKSPACE_FOLDER, project);
}

function configurations(client: HookClientName, project: string) {
  if (client === "claude-code") {
    return [
      { file: join(project, ".mcp.json"), keys: [["mcpServers"]] },
      {
        file: join(homedir(), ".claude.json"),
        keys: [["projects", project, "mcpServers"], ["mcpServers"]],
      },
    ];
  }
  const [folder, file] = client === "cursor" ? [".cursor", "mcp.json"] : [".gemini", "settings.json"];
  return [project, homedir()].map((at) => ({ file: join(at, folder, file), keys: [["mcpServers"]] }));
}

/** Empty where there is none. */
async function readBounded(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).size > MOST_BYTES ? undefined : await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "" : undefined;
  }
}
