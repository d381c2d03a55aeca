/** Where files with tools are looked for, and what such a file must be. */
export interface DiscoveryRules {
  /** The folders, the weaker layer first. Subfolders are not looked into. */
  readonly folders: readonly {
    readonly layer: "user" | "project";
    /** `/`-separated, in the user's configuration directory or in the project. */
    readonly path: string;
    readonly loaded: "at the start" | "when the project is trusted";
  }[];
  /** How the name of a file ends. */
  readonly extensions: readonly string[];
  /** Names that are skipped: by how they begin, and by how they end before the extension. */
  readonly skipped: { readonly beginnings: readonly string[]; readonly endings: readonly string[] };
  /** How many files of a folder are looked at, how large one may be, and how long its top level may take. */
  readonly limits: { readonly files: number; readonly bytes: number; readonly loadMs: number };
  /** How a file brings its tools. */
  readonly brings: readonly ("exports" | "registers")[];
}

/** The rules for tools: part of their contract, and what the loader goes by. */
export const DISCOVERY_RULES: DiscoveryRules = Object.freeze<DiscoveryRules>({
  folders: [
    { layer: "user", path: "tools", loaded: "at the start" },
    { layer: "project", path: ".toolkeep/tools", loaded: "when the project is trusted" },
  ],
  extensions: [".ts", ".mts", ".js", ".mjs"],
  skipped: { beginnings: ["_", "."], endings: [".d", ".test", ".spec"] },
  limits: { files: 200, bytes: 1_000_000, loadMs: 5_000 },
  brings: ["exports", "registers"],
});

/** Whether a file of a tools folder may bring tools, by its name. */
export function isToolFile(name: string): boolean {
  const { extensions, skipped } = DISCOVERY_RULES;
  const extension = extensions.find((one) => name.endsWith(one));
  if (extension === undefined || skipped.beginnings.some((one) => name.startsWith(one))) return false;
  const stem = name.slice(0, -extension.length);
  return !skipped.endings.some((one) => stem.endsWith(one));
}

/** The folder of a layer, within the configuration directory or the project. */
export function toolFolder(layer: "user" | "project"): string {
  return DISCOVERY_RULES.folders.find((one) => one.layer === layer)?.path as string;
}
