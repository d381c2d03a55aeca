import type { Package } from "../packages.ts";

/** The packages, each after those of ours that it depends on. @throws Error if they depend on each other in a circle. */
export function publishOrder(packages: readonly Package[]): readonly Package[] {
  const ordered: Package[] = [];
  const add = (one: Package, above: readonly string[]): void => {
    const { name, dependencies = {}, peerDependencies = {} } = one.manifest;
    if (ordered.includes(one)) return;
    if (above.includes(name)) throw new Error(`${[...above, name].join(" → ")} is a circle.`);
    for (const other of packages)
      if (other.manifest.name in { ...dependencies, ...peerDependencies }) add(other, [...above, name]);
    ordered.push(one);
  };
  for (const one of packages) add(one, []);
  return ordered;
}
