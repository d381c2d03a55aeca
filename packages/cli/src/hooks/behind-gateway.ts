import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { splitCommand } from "@toolkeep/core";
import { valueAt } from "../install/json-edit.ts";
import { startsOurGateway } from "../install/own-command.ts";
import type { HookClientName, RemoteToolCall } from "./hook-call.ts";
import { type Fields, isFields } from "./payload.ts";

const MOST_BYTES = 32_000_000;

/**
 * Whether a client reaches this server through our gateway. What the client says of the server counts most; else
 * what its configuration says, of which the user's own comes before the project's. A name alone proves nothing.
 */
export async function isBehindGateway(
  call: RemoteToolCall,
  client: HookClientName,
  project: string,
): Promise<boolean> {
  if (call.command !== undefined) return startsOurGateway(splitCommand(call.command), project);
  if (call.url !== undefined) return false;
  for (const { file, keys } of configurations(client, project)) {
    const text = await readBounded(file);
    for (const key of text === undefined ? [] : keys) {
      const entry = valueAt(text ?? "", [...key, call.server]);
      if (isFields(entry)) return startsOurGateway(wordsOf(entry), project);
    }
  }
  return false;
}

interface Configuration {
  readonly file: string;
  readonly keys: readonly (readonly string[])[];
}

/** The strongest first: the first that names the server says what is started. */
function configurations(client: HookClientName, project: string): readonly Configuration[] {
  const at = (file: string, ...keys: readonly (readonly string[])[]) => ({ file, keys });
  if (client === "claude-code") {
    return [
      at(join(homedir(), ".claude.json"), ["projects", project, "mcpServers"]),
      at(join(project, ".mcp.json"), ["mcpServers"]),
      at(join(homedir(), ".claude.json"), ["mcpServers"]),
    ];
  }
  const folder = client === "cursor" ? ".cursor" : ".gemini";
  const file = client === "cursor" ? "mcp.json" : "settings.json";
  return [at(join(project, folder, file), ["mcpServers"]), at(join(homedir(), folder, file), ["mcpServers"])];
}

function wordsOf({ command, args }: Fields): readonly string[] {
  if (typeof command !== "string") return [];
  return [command, ...(Array.isArray(args) ? args.map(String) : [])];
}

async function readBounded(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).size > MOST_BYTES ? undefined : await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}
