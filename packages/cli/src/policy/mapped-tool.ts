import { mapFor, settingsFor, type ToolAddress } from "@toolkeep/mcp/internal";
import type { FoundTool } from "../hooks/decide/dry-run/remote-dry-run-tool.ts";
import { chooseServers } from "../tools/servers/choose-servers.ts";

/** What the effect map of a configured server says of its tool. A tool without a map may do anything. */
export async function mappedTool(
  { server, tool }: ToolAddress,
  root: string,
): Promise<FoundTool | undefined> {
  const chosen = await chooseServers(root, [server]).catch(() => undefined);
  const entry = chosen?.servers[0];
  if (chosen === undefined || entry === undefined) return undefined;
  const settings = settingsFor(entry, chosen.settings);
  const tools = (await mapFor({ entry, settings, maps: chosen.maps }))?.tools ?? {};
  const mapped = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return { mapped, files: settings.files ?? [], isPrivate: settings.isPrivate === true };
}
