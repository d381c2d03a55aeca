import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { publishedPackages } from "../packages.ts";
import { mustRun } from "../run-program.ts";

/**
 * Lets changesets write the versions and the changelogs of a copy. The manifests name the version that comes next, and
 * changesets counts from the last one: it must arrive at the same.
 */
export async function changelogErrors(copy: string): Promise<readonly string[]> {
  const packages = publishedPackages(copy);
  const expected = new Set(packages.map(({ manifest }) => manifest.version));
  if (expected.size !== 1) return [`The packages have different versions: ${[...expected].join(", ")}`];
  const [next = ""] = expected;
  const last = lastVersion(copy);
  if (last === next)
    return [`${next} is in the changelog already, and no package.json names a newer version`];
  for (const path of globSync("{packages/*,benchmarks}/package.json", { cwd: copy }))
    replaceVersion(join(copy, path), next, last);
  await mustRun([process.execPath, changesets(copy), "version"], { cwd: copy });
  return publishedPackages(copy).flatMap(({ folder, manifest }) => [
    ...(manifest.version === next
      ? []
      : [`${manifest.name}: the changesets make ${manifest.version}, and package.json says ${next}`]),
    ...(existsSync(join(folder, "CHANGELOG.md")) ? [] : [`${manifest.name}: no changeset names it`]),
  ]);
}

/** The newest part of the program's changelog. */
export function newestEntry(copy: string): string {
  const path = join(copy, "packages/cli/CHANGELOG.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text.split(/^(?=## )/m)[1] ?? "";
}

/** The version of the newest part of the changelog; 0.0.0 before the first release. */
function lastVersion(copy: string): string {
  return /^## (\S+)/.exec(newestEntry(copy))?.[1] ?? "0.0.0";
}

function replaceVersion(manifest: string, from: string, to: string): void {
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, text.replaceAll(ownVersion(from), `$1"${to}"`));
}

/** The version of a package of ours, and of those of ours that it depends on. */
function ownVersion(version: string): RegExp {
  return new RegExp(`("(?:version|toolkeep|@toolkeep/\\w+)": )"${RegExp.escape(version)}"`, "g");
}

function changesets(copy: string): string {
  return join(dirname(join(copy, "node_modules/@changesets/cli/package.json")), "bin.js");
}
