import { existsSync, readFileSync } from "node:fs";

/** The version of this program, as its package says. */
export const VERSION: string = readVersion();

/** This file may have been bundled into a folder beneath. */
function readVersion(): string {
  const manifests = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  const found = manifests.find((manifest) => existsSync(manifest));
  if (found === undefined) return "0.0.0";
  return (JSON.parse(readFileSync(found, "utf8")) as { readonly version: string }).version;
}
