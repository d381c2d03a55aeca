import { globSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, isAbsolute, join, relative } from "node:path";
import { type BuildOptions, build, type OutputChunk } from "rolldown";
import { copyBashGrammar } from "./copy-bash-grammar.ts";
import { type Package, type PackageManifest, publishedPackages } from "./packages.ts";
import { takeBuiltins } from "./take-builtins.ts";

const OUTPUT = "dist";

/**
 * Bundles every published entry point of a package into `dist`, next to the declarations.
 * Loading dozens of small files costs half of Node's own start time again; loading one costs almost nothing.
 * Packages of ours that are only needed to build it (the program has them so) become part of it, and of them what is
 * used: it starts without the rest.
 */
export async function bundlePackage({ folder, manifest }: Package): Promise<readonly string[]> {
  const output = join(folder, OUTPUT);
  for (const stale of globSync("**/*.{js,js.map}", { cwd: output })) rmSync(join(output, stale));
  const within = publishedPackages().filter(({ manifest: { name } }) => isWithin(name, manifest));
  const input: Record<string, string> = Object.assign(
    {
      ...entryPointsOf(manifest),
      ...programsOf({ folder, manifest }),
      ...ownProgramsOf({ folder, manifest }),
    },
    ...within.map(programsOf),
  );
  const loadedFirst = ["shared", ...Object.keys(input).flatMap((name) => [name, `${name}-shared`])];
  const options: BuildOptions = {
    cwd: folder,
    input,
    // Libraries become part of other bundles, which look for imports.
    plugins: manifest.bin === undefined ? [] : [takeBuiltins((chunk) => loadedFirst.includes(chunk))],
    external: (id) => !(id.startsWith(".") || isAbsolute(id) || isWithin(packageOf(id), manifest)),
    resolve: { conditionNames: ["@toolkeep/source", "import", "default"] },
    platform: "neutral",
    tsconfig: false,
    // No names of source files between the modules: an install weighs less, and functions have names.
    experimental: { attachDebugInfo: "none" },
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
      // The declarations have them.
      comments: { jsdoc: false },
    },
  };
  const apart = await build({ ...options, write: false });
  const chunks = apart.output.filter((file) => file.type === "chunk");
  assertDeclared(chunks, manifest);
  const grouped = (name: string, ...entries: readonly string[]) =>
    groupOf(name, modulesShared(chunks, entries));
  const together = chunks
    .filter(({ facadeModuleId }) =>
      manifest.loadedTogether?.some((source) => facadeModuleId?.endsWith(source)),
    )
    .map(({ fileName }) => fileName);
  const ofPrograms = Object.keys(programsOf({ folder, manifest })).map((name) =>
    grouped(`${name}-shared`, `${name}.js`),
  );
  const first = [grouped("shared", "index.js"), ...ofPrograms];
  const groups = [...first, grouped("loaded-together", ...together)];
  if (together.length > 0) {
    const apartFrom = chunks.filter(({ moduleIds }) => !moduleIds.some((id) => isIn(groups, id)));
    groups.push(smallOnes("small-first", { chunks, candidates: apartFrom, loaded: first }));
    groups.push(smallOnes("small", { chunks, candidates: apartFrom, loaded: groups }));
  }
  const result = await build({ ...options, output: { ...options.output, codeSplitting: { groups } } });
  const parses = [manifest, ...within.map((one) => one.manifest)].some(
    ({ devDependencies }) => devDependencies?.["@vscode/tree-sitter-wasm"] !== undefined,
  );
  if (parses) copyBashGrammar(output);
  return result.output.filter((file) => file.type === "chunk").map((file) => file.fileName);
}

/**
 * The modules that entry points load at once and share with others. They become one file: apart, each combination
 * of entry points would have a file of its own, and a file costs more than the code that is in it.
 */
function modulesShared(chunks: readonly OutputChunk[], entries: readonly string[]): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set<string>();
  const waiting = entries.flatMap((entry) => byName.get(entry)?.imports ?? []);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...(byName.get(name)?.imports ?? []));
  }
  return new Set([...found].flatMap((name) => byName.get(name)?.moduleIds ?? []));
}

interface Group {
  readonly name: string;
  readonly test: (id: string) => boolean;
}

function isIn(groups: readonly Group[], id: string): boolean {
  return groups.some(({ test }) => test(id));
}

function groupOf(name: string, modules: ReadonlySet<string>): Group {
  return { name, test: (id: string) => modules.has(id) };
}

/**
 * The modules of small chunks that load nothing but such chunks and those groups. They become one file: loading it takes
 * as long as loading a few of them, and on a disk each file takes whole blocks.
 */
function smallOnes(
  name: string,
  {
    chunks,
    candidates,
    loaded,
  }: Record<"chunks" | "candidates", readonly OutputChunk[]> & {
    readonly loaded: readonly Group[];
  },
): Group {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const isLoaded = (id: string) => isIn(loaded, id);
  let small = new Set(candidates.filter(({ isEntry, code }) => !isEntry && code.length < SMALL));
  const isThere = (imported: string) => {
    const chunk = byName.get(imported);
    return chunk === undefined ? isBuiltin(imported) : small.has(chunk) || chunk.moduleIds.every(isLoaded);
  };
  for (let before = Number.POSITIVE_INFINITY; small.size < before; ) {
    before = small.size;
    small = new Set([...small].filter(({ imports }) => imports.every(isThere)));
  }
  const modules = [...small].flatMap(({ moduleIds }) => moduleIds);
  return groupOf(name, new Set(modules.filter((id) => !isLoaded(id))));
}

const SMALL = 8_192;

/** The output's name, without its extension, and the source of each entry point. */
function entryPointsOf({ name, exports = {} }: PackageManifest): Record<string, string> {
  const entryPoints = Object.values(exports).flatMap((entryPoint) => {
    if (typeof entryPoint === "string") return [];
    const { "@toolkeep/source": source, default: target } = entryPoint;
    if (source && target?.startsWith(`./${OUTPUT}/`)) {
      return [[relative(OUTPUT, target).replace(/\.js$/, ""), source]];
    }
    throw new Error(
      `${name}: an entry point needs a source and a default within ${OUTPUT}: ${JSON.stringify(entryPoint)}`,
    );
  });
  return Object.fromEntries(entryPoints);
}

/** What is started as a process of its own and never imported. Must be in the same folder as the entry points. */
function programsOf({ folder, manifest: { programs = [] } }: Package): Record<string, string> {
  return Object.fromEntries(programs.map((source) => [basename(source, ".ts"), join(folder, source)]));
}

function ownProgramsOf({ folder, manifest }: Package): Record<string, string> {
  return programsOf({ folder, manifest: { ...manifest, programs: manifest.ownPrograms ?? [] } });
}

/** Whether a package of ours becomes a part of another one. */
function isWithin(name: string, { devDependencies = {} }: PackageManifest): boolean {
  return name.startsWith("@toolkeep/") && name in devDependencies;
}

function packageOf(id: string): string {
  return id
    .split("/")
    .slice(0, id.startsWith("@") ? 2 : 1)
    .join("/");
}

/**
 * What is bundled imports nothing that does not come with it; code that is left out may. Bundlers of host applications
 * resolve whatever is imported by its name, also where it never runs: what is optional is imported at the top of the
 * entry point that needs it, or by a name that they cannot see.
 */
function assertDeclared(chunks: readonly OutputChunk[], manifest: PackageManifest): void {
  const names = new Set(chunks.map(({ fileName }) => fileName));
  const optional = new Set([
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ]);
  const isOutside = (id: string) => !(names.has(id) || isBuiltin(id));
  const atOnce = new Set(chunks.flatMap(({ imports }) => imports).filter(isOutside));
  const later = chunks.flatMap(({ dynamicImports }) => dynamicImports).filter(isOutside);
  for (const id of [...atOnce, ...later]) {
    if (packageOf(id) in (manifest.dependencies ?? {})) continue;
    if (!optional.has(packageOf(id)))
      throw new Error(`${manifest.name} imports ${id}, which its manifest does not declare`);
    if (!atOnce.has(id))
      throw new Error(`${manifest.name} imports ${id} by its name: bundlers fail where it is not installed`);
  }
}
