import { globSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, isAbsolute, join, relative } from "node:path";
import { build } from "rolldown";
import { copyBashGrammar } from "./copy-bash-grammar.ts";
import type { Package, PackageManifest } from "./packages.ts";

const OUTPUT = "dist";

/**
 * Bundles every published door of a package into `dist`, beside the declarations that are there already.
 * Loading dozens of small files costs half of Node's own start again, one file next to nothing.
 */
export async function bundlePackage({ folder, manifest }: Package): Promise<readonly string[]> {
  const output = join(folder, OUTPUT);
  for (const stale of globSync("**/*.{js,js.map}", { cwd: output })) rmSync(join(output, stale));
  const result = await build({
    cwd: folder,
    input: { ...doorsOf(manifest), ...programsOf(manifest) },
    external: (id) => isForeign(id, manifest),
    platform: "neutral",
    tsconfig: false,
    onLog(level, log) {
      if (level === "warn") throw new Error(`${manifest.name}: ${log.message}`);
    },
    output: {
      dir: OUTPUT,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name].js",
      // The code is not minified, so stack traces need no source maps, which weigh as much as the code.
      sourcemap: false,
      minify: false,
    },
  });
  if (manifest.devDependencies?.["@vscode/tree-sitter-wasm"] !== undefined) copyBashGrammar(output);
  return result.output.filter((file) => file.type === "chunk").map((file) => file.fileName);
}

/** The output's name, without its ending, and the source of each door. */
function doorsOf({ name, exports = {} }: PackageManifest): Record<string, string> {
  const doors = Object.values(exports).flatMap((door) => {
    if (typeof door === "string") return [];
    const { "@toolkeep/source": source, default: target } = door;
    if (source && target?.startsWith(`./${OUTPUT}/`)) {
      return [[relative(OUTPUT, target).replace(/\.js$/, ""), source]];
    }
    throw new Error(`${name}: a door needs a source and a default within ${OUTPUT}: ${JSON.stringify(door)}`);
  });
  return Object.fromEntries(doors);
}

/** What is started as a process of its own, and never imported. Must stand beside the doors. */
function programsOf({ programs = [] }: PackageManifest): Record<string, string> {
  return Object.fromEntries(programs.map((source) => [basename(source, ".ts"), source]));
}

function isForeign(id: string, manifest: PackageManifest): boolean {
  if (id.startsWith(".") || isAbsolute(id)) return false;
  if (isBuiltin(id)) return true;
  const declared = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  };
  const owner = id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
  if (owner in declared) return true;
  throw new Error(`${manifest.name} imports ${id}, which its manifest does not declare`);
}
