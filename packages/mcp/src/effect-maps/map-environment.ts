import type { EffectMap } from "./effect-map.ts";

/** The environment variables that a server's program needs. They override the server's entry. */
export function mapEnvironment(map: EffectMap | undefined): Readonly<Record<string, string>> {
  return map?.environment ?? {};
}
