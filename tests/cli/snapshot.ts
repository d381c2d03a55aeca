import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The names, permissions and bytes of everything in a folder. */
export function snapshotOf(folder: string, at = ""): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const name of readdirSync(join(folder, at))) {
    const path = join(at, name);
    const stats = lstatSync(join(folder, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) Object.assign(all, { [path]: `folder ${mode}` }, snapshotOf(folder, path));
    else if (stats.isSymbolicLink()) all[path] = `link ${readlinkSync(join(folder, path))}`;
    else
      all[path] = `${mode} ${createHash("sha256")
        .update(readFileSync(join(folder, path)))
        .digest("hex")}`;
  }
  return all;
}
