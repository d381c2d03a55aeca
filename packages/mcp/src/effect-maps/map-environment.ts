import type { EffectMap } from "./effect-map.ts";

/** What a server's program must find in its environment. It counts over what the entry of the server says. */
export function mapEnvironment(map: EffectMap | undefined): Readonly<Record<string, string>> {
  return map?.environment ?? {};
}
