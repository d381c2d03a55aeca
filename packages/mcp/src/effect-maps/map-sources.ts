import type { EffectMap } from "./effect-map.ts";

/** Where the server of a map comes from, each with its kind. Without one it is a package of npm. */
export function mapSources({ packages }: EffectMap): readonly string[] {
  return packages.map((name) => (/^(?:npm|pypi|image|program|host):/.test(name) ? name : `npm:${name}`));
}
