import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { directories } from "../config/directories.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { checkNetworkSettings } from "../network/guarded-network.ts";
import type { WorkspaceOptions } from "./workspace.ts";

type Values = Readonly<Record<string, string | undefined>>;

/** Options that can be used, with what was left out. */
export interface CheckedOptions
  extends Pick<WorkspaceOptions, "limits" | "network" | "store" | "guarded" | "onNote"> {
  readonly roots: readonly [string, ...string[]];
  readonly adHoc: readonly string[];
  readonly sidecars: string;
  /** What `~` stands for in a command line. */
  readonly home: string;
  readonly environment: { readonly values: Values; readonly passed: Readonly<Record<string, string>> };
}

const OPTIONS: ReadonlySet<string> = new Set([
  ...[
    "roots",
    "adHoc",
    "sandbox",
    "limits",
    "network",
    "environment",
    "store",
    "sidecars",
    "guarded",
    "onNote",
  ],
]);

/** @throws ToolkeepError `invalid_option` for the first that cannot be used. */
export async function checkedOptions(options: WorkspaceOptions): Promise<CheckedOptions> {
  const foreign = Object.keys(options).find((key) => !OPTIONS.has(key));
  if (foreign !== undefined) throw invalid(`A workspace has no option ${JSON.stringify(foreign)}.`);
  const [root, ...others] = await Promise.all(options.roots.map(realFolder));
  if (root === undefined) throw invalid("`roots` must name a folder to work in.");
  checkNetworkSettings(options.network);
  const { limits, network, store, guarded, onNote } = options;
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(network === undefined ? {} : { network }),
    ...(store === undefined ? {} : { store }),
    ...(guarded === undefined ? {} : { guarded }),
    ...(onNote === undefined ? {} : { onNote }),
    roots: [root, ...others],
    adHoc: await Promise.all((options.adHoc ?? []).map(realPlace)),
    sidecars: await usableFolder(options.sidecars ?? join(directories().cache, "sidecars")),
    home: process.env["HOME"] ?? homeOr(root),
    environment: environmentOf(options),
  };
}

function environmentOf({ environment = {} }: WorkspaceOptions): CheckedOptions["environment"] {
  const { values = process.env, pass = [] } = environment;
  const entries = pass.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { values, passed: Object.fromEntries(entries) };
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory())
    throw invalid(`There is no folder ${path} to work in.`);
  return real;
}

async function realPlace(path: string): Promise<string> {
  if (!isAbsolute(path)) throw invalid(`\`adHoc\` holds absolute paths; ${JSON.stringify(path)} is none.`);
  return inWords(() => canonicalPath(path));
}

/** It need not be there yet, but what is there must be a folder. */
async function usableFolder(path: string): Promise<string> {
  const folder = await inWords(() => canonicalPath(resolve(path)));
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() === false) throw invalid(`\`sidecars\` must be a folder; ${path} is none.`);
  return folder;
}

/** What is wrong with an option is the embedder's to mend. */
async function inWords(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (cause) {
    if (!ToolFailure.isInstance(cause)) throw cause;
    throw new ToolkeepError("invalid_option", cause.message, { cause });
  }
}

function homeOr(otherwise: string): string {
  try {
    return homedir();
  } catch {
    return otherwise;
  }
}

function invalid(message: string): ToolkeepError {
  return new ToolkeepError("invalid_option", message);
}
