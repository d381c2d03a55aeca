import { createRegistry, type Tool } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import { readOwnedFile } from "../owned-files/read-owned-file.ts";
import { sha256 } from "../trust/sha256.ts";
import { evaluateFile } from "./evaluate-file.ts";
import type { FolderDiagnostic } from "./folder-diagnostic.ts";
import type { ImportDoor } from "./import-door.ts";
import { refused, type ToolFile } from "./list-tool-files.ts";
import { toolsOfExports } from "./tools-of-exports.ts";

export interface LoadOptions {
  readonly file: ToolFile;
  readonly origin: Origin;
  /** The canonical folder that links must not lead out of. */
  readonly folder: string;
  readonly limits: FolderLimits;
  readonly owners: readonly number[];
  readonly door: ImportDoor;
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
  /** Taken as a whole or not at all: with a fault there are no tools. */
  readonly error?: FolderDiagnostic;
  readonly hashes: ReadonlyMap<string, string>;
  /** What somebody has to trust before it can be loaded, with a hash. */
  readonly uncovered?: ReadonlyMap<string, string>;
}

/** Loads the tools of one file. Never throws: whatever is wrong with it is the fault. */
export async function loadToolFile(options: LoadOptions): Promise<LoadedFile> {
  const { file, origin, folder, limits, owners, door } = options;
  const failed = (
    error: Omit<FolderDiagnostic, "layer" | "file">,
    hashes: LoadedFile["hashes"] = new Map(),
  ) => ({
    tools: [],
    error: { layer: origin.layer, file: file.id, ...error },
    hashes,
  });
  const found = await readOwnedFile(file.path, { mostBytes: limits.bytes, beneath: folder, owners });
  if (found === undefined) return failed({ message: "It is gone." });
  if (found.error !== undefined) return failed(refused(found.error));
  const evaluation = await evaluateFile({
    path: file.path,
    source: found.text,
    timeoutMs: limits.loadMs,
    door,
  });
  const { hashes, uncovered } = evaluation;
  if (uncovered.size > 0) return { ...failed(unasked(uncovered), hashes), uncovered };
  if ("error" in evaluation) return failed(errorOf(evaluation.error, file.path, limits), hashes);
  try {
    const exported = toolsOfExports(evaluation.exports);
    if (exported.error !== undefined) return failed({ message: exported.error, hint: exported.hint }, hashes);
    const codeHash = sha256(JSON.stringify([...hashes.values()]));
    // What a file says of its own hash is not taken at its word.
    const tools = exported.tools.map((tool) => Object.freeze({ ...tool, codeHash }));
    const invalid = invalidTool(tools, origin);
    return invalid === undefined ? { tools, hashes } : failed({ message: invalid }, hashes);
  } catch (error) {
    return failed(errorOf(error, file.path, limits), hashes);
  }
}

/** Asks a registry that nobody uses, so that a version that does not fit never replaces one that does. */
function invalidTool(tools: readonly Tool[], origin: Origin): string | undefined {
  const trial = createRegistry();
  for (const tool of tools) {
    const error = trial.register(tool, { origin });
    if (error !== undefined)
      return `The tool ${JSON.stringify(tool.name)} is not valid: ${error.path} ${error.message}`;
  }
  return undefined;
}

function unasked(uncovered: ReadonlyMap<string, string>): ErrorMessage {
  const paths = [...uncovered.keys()].map((path) => JSON.stringify(path)).join(", ");
  return { message: `It is not loaded: ${paths} is not what was trusted.` };
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
  const words = (message.split("\n")[0] ?? "").trim().slice(0, 300);
  return { message: `It failed while it was loaded: ${words}`, ...(line === undefined ? {} : { line }) };
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
    return { code: undefined, message: "something that has no words", stack: "" };
  }
}

function lineIn(text: string, path: string): number | undefined {
  const at = text.indexOf(`${path}:`);
  const line = at === -1 ? undefined : /^\d+/.exec(text.slice(at + path.length + 1))?.[0];
  return line === undefined ? undefined : Number(line);
}
