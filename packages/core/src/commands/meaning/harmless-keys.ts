/** Keys of a package.json that decide nothing about what its scripts run. */
export const HARMLESS_KEYS: ReadonlySet<string> = new Set(
  (
    "name version description keywords author contributors maintainers license repository bugs homepage funding files main " +
    "module browser types typings exports type private engines os cpu sideEffects publishConfig browserslist dependencies " +
    "devDependencies peerDependencies peerDependenciesMeta optionalDependencies bundledDependencies"
  ).split(" "),
);
