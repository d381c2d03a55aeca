import { ToolkeepError } from "@toolkeep/core";
import { mapFor, type ServerEntry, settingsFor } from "@toolkeep/mcp";
import type { ChosenServers } from "./choose-servers.ts";

/** Says in a few words whether the effects of a server are known, by which map, or why not. */
export function effectsKnown(
  entry: ServerEntry,
  { settings, maps }: Pick<ChosenServers, "settings" | "maps">,
): string {
  const said = settingsFor(entry, settings);
  try {
    const map = mapFor({ entry, settings: said, maps });
    if (map !== undefined) return `effects known: ${map.name}`;
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    return "effects not known, every call asks: its settings name a map that is not there";
  }
  const isOff = said.map === false;
  return `effects not known, every call asks: ${isOff ? "its map is switched off" : "no map for what is started so"}`;
}
