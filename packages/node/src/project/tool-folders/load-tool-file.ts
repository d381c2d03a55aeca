import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { type Context, createContext, Script } from "node:vm";
import * as core from "@toolkeep/core";
import { createRegistry, type Diagnostic, type Tool } from "@toolkeep/core";
import { type Origin, registrar, unlessThrown, whileLoading } from "@toolkeep/core/internal";
import * as policy from "@toolkeep/core/policy";
import type { ModuleCache, TransformOptions, TransformResult } from "jiti";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import { type FolderDiagnostic, folderDiagnosticOf } from "../trust/folder-diagnostic.ts";
import { refused, type ToolFile } from "../trust/list-tool-files.ts";
import { type ImportGuard, isPackage } from "./guarded-imports.ts";
import { type EvaluatedFile, toolsOf } from "./tools-of-file.ts";

export interface LoadOptions {
  readonly file: ToolFile;
  readonly origin: Origin;
  /** The canonical folder that links must not lead out of. */
  readonly folder: string;
  readonly limits: FolderLimits;
  readonly owners: readonly number[];
  /** The names of the variables that requirements may use besides the standard ones. */
  readonly variables: readonly string[];
  readonly importGuard: ImportGuard;
}

export interface FolderLimits {
  /** How many files of a folder are looked at. */
  readonly files: number;
  /** How large one may be. */
  readonly bytes: number;
  /** How long the top level of one may take. */
  readonly loadMs: number;
}

/** What a file gave, and on which files that depends: path with a hash. */
export interface LoadedFile {
  readonly tools: readonly Tool[];
  /** Loaded as a whole or not at all: with an error there are no tools. */
  readonly error?: FolderDiagnostic;
  readonly hashes: ReadonlyMap<string, string>;
  /** What must be trusted before it can be loaded, with a hash. */
  readonly uncovered?: ReadonlyMap<string, string>;
}

/** Loads the tools of one file. Never throws: what is wrong with it is in `error`. */
export async function loadToolFile(options: LoadOptions): Promise<LoadedFile> {
  const { file, origin, folder, limits, owners, variables, importGuard } = options;
  const failed = (
    error: Partial<FolderDiagnostic> & Pick<FolderDiagnostic, "message">,
    hashes: LoadedFile["hashes"] = new Map(),
  ) => ({
    tools: [],
    error: folderDiagnosticOf({ layer: origin.layer, file: file.id, ...error }),
    hashes,
  });
  const found = await readOwnedFile(file.path, { mostBytes: limits.bytes, beneath: folder, owners });
  if (found === undefined) return failed({ message: "It is gone." });
  if (found.error !== undefined) return failed(refused(found.error));
  const evaluation = await evaluateFile({
    path: file.path,
    source: found.text,
    timeoutMs: limits.loadMs,
    importGuard,
  });
  const { hashes, uncovered } = evaluation;
  if (uncovered.size > 0) return { ...failed(unasked(uncovered), hashes), uncovered };
  if ("error" in evaluation) return failed(errorOf(evaluation.error, file.path, limits), hashes);
  try {
    const exported = toolsOf(evaluation);
    if (exported.error !== undefined) return failed({ message: exported.error, hint: exported.hint }, hashes);
    const codeHash = sha256(JSON.stringify([...hashes.values()]));
    // A hash that the file itself exports is not trusted.
    const tools = exported.tools.map((tool) => Object.freeze({ ...tool, codeHash }));
    const invalid = invalidTool(tools, { origin, variables });
    return invalid === undefined ? { tools, hashes } : failed(invalid, hashes);
  } catch (error) {
    return failed(errorOf(error, file.path, limits), hashes);
  }
}

/** Uses a registry of its own, so that an invalid version never replaces a valid one. */
function invalidTool(
  tools: readonly Tool[],
  { origin, variables }: Pick<LoadOptions, "origin" | "variables">,
): Diagnostic | undefined {
  const trial = createRegistry({ variables });
  const error = tools.map((tool) => trial.register(tool, { origin })).find((one) => one !== undefined);
  if (error === undefined) return undefined;
  const { code, subject, path, message } = error;
  return {
    ...{ code, origin, ...(subject === undefined ? {} : { subject }) },
    message: `The tool ${JSON.stringify(subject)} is not valid: ${path} ${message}`,
  };
}

function unasked(uncovered: ReadonlyMap<string, string>): Pick<FolderDiagnostic, "code" | "message"> {
  const paths = [...uncovered.keys()].map((path) => JSON.stringify(path)).join(", ");
  return { code: "tool_not_trusted", message: `It is not loaded: ${paths} is not what was trusted.` };
}

type ErrorMessage = Pick<FolderDiagnostic, "message" | "hint" | "line">;

function errorOf(error: unknown, path: string, { loadMs }: FolderLimits): ErrorMessage {
  const { code, message, stack } = partsOf(error);
  if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
    return { message: `Its top level did not end within ${loadMs} ms.`, hint: "Do slow work in `init`." };
  }
  if (message.startsWith("await is only valid")) {
    return { message: "It awaits something at its top level.", hint: "Do that in `init`." };
  }
  const line = lineIn(`${message}\n${stack}`, path);
  // The first line alone: what follows may quote the file.
  const summary = (message.split("\n")[0] ?? "").trim().slice(0, 300);
  return { message: `It failed while it was loaded: ${summary}`, ...(line === undefined ? {} : { line }) };
}

/** Anything can be thrown, also what cannot be looked at. */
function partsOf(error: unknown): {
  readonly code: unknown;
  readonly message: string;
  readonly stack: string;
} {
  try {
    const { code, message = error, stack = "" } = Object(error) as Partial<Record<string, unknown>>;
    return { code, message: String(message), stack: String(stack) };
  } catch {
    return { code: undefined, message: "something without a message", stack: "" };
  }
}

function lineIn(text: string, path: string): number | undefined {
  const at = text.indexOf(`${path}:`);
  const line = at === -1 ? undefined : /^\d+/.exec(text.slice(at + path.length + 1))?.[0];
  return line === undefined ? undefined : Number(line);
}

interface EvaluationOptions {
  readonly path: string;
  /** What is in the file, as it was read and checked. */
  readonly source: string;
  /** How long its top level may take. */
  readonly timeoutMs: number;
  /** What everything that it loads goes through, now and later. */
  readonly importGuard: ImportGuard;
}

/** What became of a file, and which files took part, each with a hash of what was in it. */
interface Evaluation extends EvaluatedFile {
  readonly error?: unknown;
  readonly hashes: ReadonlyMap<string, string>;
  /** What was not evaluated, because nothing covers it. Then the rest is not to be used, whatever came of it. */
  readonly uncovered: ReadonlyMap<string, string>;
}

/** The module cache of Node, which also keeps what jiti passes to Node. */
const { cache: nodeCache } = createRequire(import.meta.url);

/** What a file registers is its own, and it reaches no registry of the process. */
const { registerTool: _registerTool, sharedRegistry: _sharedRegistry, ...CORE } = core;

/** Tools share our core, whether or not their project has one. */
function ownModules(registerTool: core.RegisterTool): Record<string, unknown> {
  return Object.assign(Object.create(null), {
    "@toolkeep/core": { ...CORE, registerTool },
    "@toolkeep/core/policy": policy,
  });
}

/** What environment variables could set otherwise. A cache of compiled files would be a path to plant code in. */
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
 * Runs the top level of a TypeScript or JavaScript file in this process. Every call gets fresh modules, and only
 * packages are kept for the next one. Never throws; the file cannot delay or end the process while it is loaded.
 */
async function evaluateFile(options: EvaluationOptions): Promise<Evaluation> {
  const { path, source, timeoutMs, importGuard } = options;
  const createJiti = await importGuard.compiler();
  const modules: ModuleCache = Object.create(null);
  const hashes = new Map([[path, sha256(source)]]);
  const compiler = createJiti(path, SETTINGS);
  const transform = (part: TransformOptions): TransformResult => {
    noteImport(part, hashes, importGuard);
    return { code: compiler.transform({ ...part, retainLines: true }) };
  };
  const registered: Tool[] = [];
  let isLoaded = false;
  const registerTool = registrar((tool) => {
    if (isLoaded)
      throw new Error(`The tool ${JSON.stringify(tool.name)} must be registered while its file is loaded.`);
    registered.push(tool);
  });
  const jiti = createJiti(path, { ...SETTINGS, virtualModules: ownModules(registerTool), transform });
  const settings = { filename: path, ext: extname(path), cache: modules, async: false, forceTranspile: true };
  const before = new Set(Object.keys(nodeCache));
  let failure: { readonly error: unknown } | undefined;
  const uncovered = importGuard.during(() => {
    try {
      const load = () => void jiti.evalModule(source, settings);
      withoutExit(() => runWithin(timeoutMs, () => whileLoading(load)));
    } catch (error) {
      failure = { error };
    }
    isLoaded = true;
  });
  takeFromNode(before, hashes);
  return { ...(failure ?? { exports: modules[path]?.exports }), registered, hashes, uncovered };
}

function noteImport(
  { filename, source }: TransformOptions,
  hashes: Map<string, string>,
  importGuard: ImportGuard,
): void {
  if (filename === undefined) return;
  const hash = sha256(source);
  importGuard.enter(filename, hash);
  if (!isPackage(filename) && !hashes.has(filename)) hashes.set(filename, hash);
}

/** Data and CommonJS go through Node: they are noted here, and forgotten there, so that edits are seen. */
function takeFromNode(before: ReadonlySet<string>, hashes: Map<string, string>): void {
  const imported = Object.keys(nodeCache).filter(
    (path) => !before.has(path) && !isPackage(path) && extname(path) !== ".node",
  );
  for (const path of imported) {
    delete nodeCache[path];
    hashes.set(path, unlessThrown(() => sha256(readFileSync(path, "utf8"))) ?? "gone");
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
