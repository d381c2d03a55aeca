import { loadServers } from "@toolkeep/catalog";
import { describedMap } from "./described-map.ts";
import type { EffectMap } from "./effect-map.ts";

/** The effect maps of the servers that the catalogue describes. Each is made when it is asked for. */
export interface BuiltInMaps {
  readonly names: readonly string[];
  named(name: string): EffectMap | undefined;
  /** By where the server comes from: `npm:NAME`, `pypi:NAME`, `image:NAME`, `program:NAME` or `host:NAME`. */
  from(source: string): EffectMap | undefined;
}

const made = new Map<string, EffectMap>();

export async function loadBuiltInMaps(): Promise<BuiltInMaps> {
  const servers = await loadServers();
  const named = (name: string): EffectMap | undefined => {
    const described = made.has(name) ? undefined : servers.named(name);
    if (described !== undefined) made.set(name, describedMap(described));
    return made.get(name);
  };
  return {
    names: servers.names,
    named,
    from: (source) => named(servers.nameFrom(source) ?? ""),
  };
}
