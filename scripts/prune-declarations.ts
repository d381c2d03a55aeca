import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Package } from "./packages.ts";

/**
 * Removes the declarations that no entry point refers to. TypeScript writes one for each source file, and each takes
 * a disk block of every install.
 */
export function pruneDeclarations({ folder, manifest }: Package): void {
  const entries = Object.values(manifest.exports ?? {}).flatMap((entry) =>
    typeof entry === "string" || entry["types"] === undefined ? [] : [resolve(folder, entry["types"])],
  );
  const reached = new Set(entries);
  for (const file of reached) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run \`tsc -b --force\`.`);
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(RELATIVE_IMPORT))
      reached.add(resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts")));
  }
  for (const path of globSync("dist/**/*.d.ts", { cwd: folder })) {
    const file = resolve(folder, path);
    if (!reached.has(file)) rmSync(file);
  }
  // Without it, TypeScript writes all declarations again at the next build.
  rmSync(join(folder, "dist/.tsbuildinfo"), { force: true });
}

const RELATIVE_IMPORT = /(?:from|import\()\s*["'](\.{1,2}\/[^"']+)["']/g;
