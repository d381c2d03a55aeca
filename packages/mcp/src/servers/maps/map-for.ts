import { ToolkeepError } from "@toolkeep/core";
import { BUILT_IN_MAPS } from "../../effect-maps/built-in/built-in-maps.ts";
import type { EffectMap } from "../../effect-maps/effect-map.ts";
import type { ServerEntry, ServerSettings } from "../server-entry.ts";
import { packageOf } from "./package-of.ts";
import { startsAsMapped } from "./starts-as-mapped.ts";

export interface MapQuestion {
  readonly entry: ServerEntry;
  readonly settings?: ServerSettings;
  /** Additional maps. One with the name of a built-in map replaces it. */
  readonly maps?: readonly EffectMap[];
}

/**
 * The effect map of a server: the one that its settings name, if the server is the user's own, else the one for the
 * package that its command certainly starts, if it is started as the map describes. `undefined` if there is none: its tools ask.
 * @throws ToolkeepError `invalid_option` for settings that name an unknown map.
 */
export function mapFor({ entry, settings, maps = [] }: MapQuestion): EffectMap | undefined {
  const known = new Map([...BUILT_IN_MAPS, ...maps].map((map) => [map.name, map]));
  if (settings?.map === false) return undefined;
  // A project chooses the names of its servers: the user's settings for a name apply to the user's own server.
  if (settings?.map !== undefined && !entry.isOfProject) {
    const named = known.get(settings.map);
    if (named !== undefined) return named;
    throw new ToolkeepError(
      "invalid_option",
      `The settings of the server ${JSON.stringify(entry.name)} name the unknown effect map ${JSON.stringify(settings.map)}. Available maps: ${[...known.keys()].join(", ")}.`,
    );
  }
  const started = packageOf(entry);
  if (started === undefined) return undefined;
  const map = [...known.values()].find(({ packages }) =>
    packages.some((name) => withKind(name) === started.source),
  );
  return map !== undefined && startsAsMapped(map, started) ? map : undefined;
}

function withKind(name: string): string {
  return /^(?:npm|pypi|image|program|host):/.test(name) ? name : `npm:${name}`;
}
