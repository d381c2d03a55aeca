import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./root.ts";

/** What the scripts read of a package's manifest. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly repository?: unknown;
  readonly homepage?: string;
  readonly bugs?: unknown;
  readonly keywords?: readonly string[];
  /** Sources of what is started as a process of its own. */
  readonly programs?: readonly string[];
  /** Such sources that are left out where the package becomes part of another. */
  readonly ownPrograms?: readonly string[];
  /** Ends of the paths of modules that are imported later, but all of them when one is. */
  readonly loadedTogether?: readonly string[];
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace and where it lives. */
export interface Package {
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** The packages that are published, sorted by folder. */
export function publishedPackages(root: string = ROOT): readonly Package[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((path) => readPackage(join(root, dirname(path))))
    .filter(({ manifest }) => !manifest.private);
}

function readPackage(folder: string): Package {
  return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}
