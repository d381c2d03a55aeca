import { fs } from "./builtin.ts";

/** The version of the program. */
export const VERSION: string = readVersion();

/** The bundled file may lie one folder deeper than this one. */
function readVersion(): string {
  const manifests = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  const found = manifests.find((manifest) => fs().existsSync(manifest));
  if (found === undefined) return "0.0.0";
  return (JSON.parse(fs().readFileSync(found, "utf8")) as { readonly version: string }).version;
}
