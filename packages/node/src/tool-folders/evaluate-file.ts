import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { type Context, createContext, Script } from "node:vm";
import * as core from "@toolkeep/core";
import * as policy from "@toolkeep/core/policy";
import type { ModuleCache, TransformOptions, TransformResult } from "jiti";
import { sha256 } from "../trust/sha256.ts";
import { type ImportDoor, isPackage } from "./import-door.ts";

export interface EvaluationOptions {
  readonly path: string;
  /** What is in the file, as it was read and checked. */
  readonly source: string;
  /** How long its top level may take. */
  readonly timeoutMs: number;
  /** What everything that it loads goes through, now and later. */
  readonly door: ImportDoor;
}

/** What became of a file, and which files took part, each with a hash of what was in it. */
export interface Evaluation {
  readonly exports?: unknown;
  readonly error?: unknown;
  readonly hashes: ReadonlyMap<string, string>;
  /** What was not evaluated, because nothing covers it. Then the rest is not to be used, whatever came of it. */
  readonly uncovered: ReadonlyMap<string, string>;
}

/** The module cache of Node, which also keeps what jiti hands on to Node. */
const { cache: nodeCache } = createRequire(import.meta.url);

/** Tools share our core, whether or not their project has one. */
const OWN_MODULES: Record<string, unknown> = Object.assign(Object.create(null), {
  "@toolkeep/core": core,
  "@toolkeep/core/policy": policy,
});

/** All that the environment could otherwise say. A cache of compiled files would be a place to plant code in. */
const SETTINGS = {
  fsCache: false,
  moduleCache: false,
  tryNative: false,
  debug: false,
  alias: {},
  nativeModules: [],
  transformModules: [],
  tsconfigPaths: false,
};

/** A script of its own can be stopped from outside, also in a loop that never ends. A context is dear: one does. */
const RUN = new Script("run()");
let stage: Context | undefined;

/**
 * Runs the top level of a TypeScript or JavaScript file in this process. Every call gets fresh
 * modules, and nothing is kept for the next one but packages. Never throws; the file cannot hold up
 * or end the process while it is loaded.
 */
export async function evaluateFile(options: EvaluationOptions): Promise<Evaluation> {
  const { path, source, timeoutMs, door } = options;
  const createJiti = await door.compiler();
  const modules: ModuleCache = Object.create(null);
  const hashes = new Map([[path, sha256(source)]]);
  const compiler = createJiti(path, SETTINGS);
  const transform = (part: TransformOptions): TransformResult => {
    noteImport(part, hashes, door);
    return { code: compiler.transform({ ...part, retainLines: true }) };
  };
  const jiti = createJiti(path, { ...SETTINGS, virtualModules: OWN_MODULES, transform });
  const settings = { filename: path, ext: extname(path), cache: modules, async: false, forceTranspile: true };
  const before = new Set(Object.keys(nodeCache));
  let failure: { readonly error: unknown } | undefined;
  const uncovered = door.during(() => {
    try {
      withoutExit(() => runWithin(timeoutMs, () => void jiti.evalModule(source, settings)));
    } catch (error) {
      failure = { error };
    }
  });
  takeFromNode(before, hashes);
  return { ...(failure ?? { exports: modules[path]?.exports }), hashes, uncovered };
}

function noteImport(
  { filename, source }: TransformOptions,
  hashes: Map<string, string>,
  door: ImportDoor,
): void {
  if (filename === undefined) return;
  const hash = sha256(source);
  door.enter(filename, hash);
  if (!isPackage(filename) && !hashes.has(filename)) hashes.set(filename, hash);
}

/** Data and CommonJS go through Node: they are noted here, and forgotten there, so that edits are seen. */
function takeFromNode(before: ReadonlySet<string>, hashes: Map<string, string>): void {
  const imported = Object.keys(nodeCache).filter(
    (path) => !before.has(path) && !isPackage(path) && extname(path) !== ".node",
  );
  for (const path of imported) {
    delete nodeCache[path];
    hashes.set(path, hashNow(path));
  }
}

function hashNow(path: string): string {
  try {
    return sha256(readFileSync(path, "utf8"));
  } catch {
    return "gone";
  }
}

function runWithin(timeoutMs: number, run: () => void): void {
  stage ??= createContext();
  stage["run"] = run;
  try {
    RUN.runInContext(stage, { timeout: timeoutMs });
  } finally {
    // It would keep all modules of the file alive.
    stage["run"] = undefined;
  }
}

function withoutExit(run: () => void): void {
  const { exit } = process;
  process.exit = () => {
    throw new Error("It tried to end the process while it was loaded");
  };
  try {
    run();
  } finally {
    process.exit = exit;
  }
}
