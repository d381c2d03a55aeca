import { matchesGlob } from "node:path";
import type { PackageManifest } from "./packages.ts";

/** What npm adds by itself. */
const ALWAYS = ["package.json", "README.md", "LICENSE"];
const NEVER =
  /\.test\.|(?:^|\/)(?:tests?|__tests__|node_modules)\/|tsbuildinfo|(?:^|\/)\.(?!npmignore)|(?<!\.d)\.ts$/;

/**
 * What is wrong with the files of a tarball, compared with what the manifest says: files that it does not name,
 * sources and tests, and what it names and is missing.
 */
export function fileListErrors(manifest: PackageManifest, files: readonly string[]): readonly string[] {
  const { files: named = [] } = manifest;
  const wanted = named.filter((entry) => !entry.startsWith("!"));
  const isNamed = (file: string) =>
    wanted.some((entry) => file === entry || matchesGlob(file, `${entry}/**`));
  return [
    ...ALWAYS.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
    ...files
      .filter((file) => !ALWAYS.includes(file) && !isNamed(file))
      .map((file) => `${file} is not in the field files`),
    ...files.filter((file) => NEVER.test(file)).map((file) => `${file} should not be there`),
    ...wanted
      .filter((entry) => !files.some((file) => file === entry || file.startsWith(`${entry}/`)))
      .map((entry) => `${entry} is in the field files, and nothing of it is there`),
    ...targetsOf(manifest)
      .filter((target) => !files.includes(target))
      .map((target) => `package.json names ${target}, which is missing`),
  ];
}

/** The files that imports and commands lead to. */
function targetsOf({ exports = {}, bin = {} }: PackageManifest): readonly string[] {
  const targets = Object.values(exports).flatMap((entry) =>
    typeof entry === "string"
      ? [entry]
      : Object.entries(entry).flatMap(([condition, path]) =>
          condition === "@toolkeep/source" ? [] : [path],
        ),
  );
  return [...targets, ...Object.values(bin)].map((path) => path.replace(/^\.\//, ""));
}
