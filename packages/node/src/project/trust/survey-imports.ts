import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toolFolder } from "@toolkeep/core/internal";
import type { Jiti } from "jiti";
import { namesIn } from "../../files/entries.ts";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import { listToolFiles } from "./list-tool-files.ts";

const MOST_TOOLS = 1_000;
export const MOST_IMPORTS = 2_000;
const MOST_BYTES = 16_000_000;
const CODE = /\.[cm]?[jt]sx?$/;
/** Code of the machine is no text; it is asked about when it would be loaded. */
export const COMPILED = /\.(?:node|wasm)$/;

/**
 * Finds what the tools of a project import by name, however far: by path, with a hash. Runs nothing. Where a name is
 * made while a file runs and begins with a folder, all that is in there is taken; what is not found even so is asked
 * about when it would be evaluated.
 */
export async function surveyImports(
  project: string,
  owners: readonly number[],
): Promise<ReadonlyMap<string, string>> {
  const folder = join(project, toolFolder("project"));
  const { files } = await listToolFiles({ layer: "project", folder, beneath: project, owners }, MOST_TOOLS);
  return surveyFiles(
    files.map(({ path }) => path),
    owners,
  );
}

/** The files that can be read of these and of all that they import by name: by path, with a hash. Runs nothing. */
export async function surveyFiles(
  from: Iterable<string>,
  owners: readonly number[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Set([...from].filter((path) => !COMPILED.test(path)));
  const found = new Map<string, string>();
  if (paths.size === 0) return found;
  const { createJiti } = await import("jiti");
  const resolver = createJiti(import.meta.filename, RESOLVING);
  // What is added during the loop is visited too.
  for (const path of paths) {
    if (found.size > MOST_IMPORTS) break;
    const file = await readOwnedFile(path, { mostBytes: MOST_BYTES, owners });
    if (file === undefined || file.error !== undefined) continue;
    found.set(path, sha256(file.text));
    if (!CODE.test(path)) continue;
    for (const other of [...importsIn(file.text, path, resolver), ...computedIn(file.text, path)])
      paths.add(other);
  }
  return found;
}

const RESOLVING = {
  fsCache: false,
  moduleCache: false,
  tryNative: false,
  debug: false,
  tsconfigPaths: false,
};

/** Types are not evaluated. */
const OF_TYPES = /\b(?:import|export)\s+type\b[^;"']*["'][^"'\n]*["']/g;
const NAMED = /\b(?:from|import|require)\s*\(?\s*(["'])([^"'\n]+)\1/g;
const OWN = /^@toolkeep\/core(?:\/|$)/;

function importsIn(text: string, path: string, resolver: Jiti): readonly string[] {
  const names = text
    .replace(OF_TYPES, "")
    .matchAll(NAMED)
    .map(([, , name = ""]) => name);
  return [...new Set(names)].flatMap((name) => {
    if (isBuiltin(name) || OWN.test(name)) return [];
    return pathOf(name, path, resolver) ?? [];
  });
}

function pathOf(name: string, parent: string, resolver: Jiti): string | undefined {
  try {
    const parentURL = pathToFileURL(parent).href;
    // As a file that was compiled looks for them.
    const found = resolver.esmResolve(name, { parentURL, conditions: ["node", "require"], try: true });
    const path = found?.startsWith("file:") ? fileURLToPath(found) : found;
    return path === undefined || COMPILED.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

/** As in `require("./rules/" + name)`: the constant part. */
const COMPUTED = /\b(?:import|require)\s*\(\s*(?:(["'])(\.{1,2}\/[^"'\n]*)\1\s*\+|`(\.{1,2}\/[^`$\n]*)\$\{)/g;
const LOADED = /\.(?:[cm]?[jt]sx?|json)$/;

function computedIn(text: string, path: string): readonly string[] {
  const known = text.matchAll(COMPUTED).map(([, , quoted, written]) => quoted ?? written ?? "");
  return [...new Set(known)].flatMap((prefix) => {
    const start = prefix.slice(prefix.lastIndexOf("/") + 1);
    const folder = join(dirname(path), prefix.slice(0, prefix.lastIndexOf("/")));
    return namesIn(folder)
      .filter((name) => name.startsWith(start) && LOADED.test(name))
      .map((name) => join(folder, name));
  });
}
