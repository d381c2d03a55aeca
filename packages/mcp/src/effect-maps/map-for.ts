import { ToolkeepError } from "@toolkeep/core";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";
import type { EffectMap } from "./effect-map.ts";
import { packageOf } from "./package-of.ts";
import { SHIPPED_MAPS } from "./shipped/shipped-maps.ts";

export interface MapQuestion {
  readonly entry: ServerEntry;
  readonly settings?: ServerSettings;
  /** Maps beside those that ship; one of the same name wins. */
  readonly maps?: readonly EffectMap[];
}

/**
 * The map that tells what the tools of a server do: the one that its settings name, else the one for the package that
 * its command surely starts. `undefined` where there is none, so that its tools ask.
 * @throws ToolkeepError `invalid_option` for settings that name a map which is not there.
 */
export function mapFor({ entry, settings, maps = [] }: MapQuestion): EffectMap | undefined {
  const known = new Map([...SHIPPED_MAPS, ...maps].map((map) => [map.name, map]));
  if (settings?.map === false) return undefined;
  if (settings?.map !== undefined) {
    const named = known.get(settings.map);
    if (named !== undefined) return named;
    throw new ToolkeepError(
      "invalid_option",
      `The settings of the server ${JSON.stringify(entry.name)} name the effect map ${JSON.stringify(settings.map)}, which is not there. Known are ${[...known.keys()].join(", ")}.`,
    );
  }
  const source = packageOf(entry);
  if (source === undefined) return undefined;
  return [...known.values()].find(({ packages }) => packages.some((name) => withKind(name) === source));
}

function withKind(name: string): string {
  return /^(?:npm|pypi|image|program|host):/.test(name) ? name : `npm:${name}`;
}
