import { join } from "node:path";
import { type Package, publishedPackages } from "../packages.ts";

/** A published entry point: what it is imported as, and its declarations. */
export interface EntryPoint {
  /** `@toolkeep/core/policy` */
  readonly name: string;
  readonly package: Package;
  readonly isMain: boolean;
  readonly declarations: string;
  /** Relative to the top folder. */
  readonly report: string;
}

/** The public entry points of all packages. `/internal` is for our own packages and has no report. */
export function publicEntryPoints(packages: readonly Package[] = publishedPackages()): readonly EntryPoint[] {
  return packages.flatMap((workspacePackage) =>
    Object.entries(workspacePackage.manifest.exports ?? {}).flatMap(([subpath, target]): EntryPoint[] => {
      if (typeof target === "string" || target["types"] === undefined || subpath === "./internal") return [];
      const name = join(workspacePackage.manifest.name, subpath);
      return [
        {
          name,
          package: workspacePackage,
          isMain: subpath === ".",
          declarations: join(workspacePackage.folder, target["types"]),
          report: `api/${name.replace("@toolkeep/", "").replaceAll("/", "-")}.api.md`,
        },
      ];
    }),
  );
}
