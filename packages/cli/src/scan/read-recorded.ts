import { existsSync } from "node:fs";
import type { Registry } from "@toolkeep/core";
import type { HookCall } from "../clients/hook-call.ts";
import { dryRunTool, remoteDryRunTools } from "../hooks/decide/dry-run/remote-dry-run-tool.ts";
import type { EvaluatedCall } from "../hooks/decide/verdict/refused-calls.ts";
import type { Project } from "../project/read-project.ts";
import type { ScannedClient } from "./recorded-call.ts";
import type { ScannedProject } from "./scanned-project.ts";

interface RemoteContext {
  readonly client: ScannedClient;
  readonly registry: Registry;
  readonly project: Project;
}

/** The calls of a server's tool. Without trust in the project, what its client's configuration says is not read. */
export async function remoteCalls(
  { remote }: HookCall,
  { client, registry, project }: RemoteContext,
): Promise<readonly EvaluatedCall[]> {
  if (remote === undefined) return [];
  const found = project.isTrusted
    ? await remoteDryRunTools({ call: remote, client, project: project.root })
    : remote.candidates.map((address) => ({
        tool: dryRunTool(address, undefined),
        origin: { layer: "project", source: "mcp", id: address.server } as const,
      }));
  // The gateway decides about it.
  if ("behind" in found || "refused" in found) return [];
  for (const { tool, origin } of found)
    if (registry.get(tool.name) === undefined) registry.register(tool, { origin });
  return found.map(({ tool }) => ({ tool: tool.name, arguments: remote.arguments }));
}

const READING: ReadonlySet<string> = new Set(["read", "edit", "list", "glob", "grep"]);

/** Whether what the decision looks at is not there any more: the folder, or a file that the call reads or changes. */
export function isGone({ calls, cwd }: HookCall, { isGone: isFolderGone }: ScannedProject): boolean {
  if (calls.length === 0) return false;
  if (isFolderGone || !existsSync(cwd)) return true;
  return calls.some(({ tool, arguments: { path } }) => {
    if (!READING.has(tool) || typeof path !== "string" || path.startsWith("~")) return false;
    return !existsSync(path.startsWith("/") ? path : `${cwd}/${path}`);
  });
}
