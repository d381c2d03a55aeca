import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import {
  assertKnownKeys,
  assertVariables,
  defined,
  invalidOption,
  unlessThrown,
} from "@toolkeep/core/internal";
import { certificateFiles } from "../environment/certificate-files.ts";
import { directories } from "../environment/directories.ts";
import { MANAGER_VARIABLES } from "../environment/program-folders.ts";
import { canonicalPath } from "../files/canonical-path.ts";
import { checkNetworkSettings } from "../network/guarded-network.ts";
import type { ContainOptions } from "../sandbox/contain/containment-of.ts";
import { WORKSPACE_OPTIONS } from "./option-names.ts";
import type { WorkspaceOptions } from "./workspace.ts";

type Values = Readonly<Record<string, string | undefined>>;

/** Options that were checked, with their defaults. */
export interface CheckedOptions
  extends Pick<WorkspaceOptions, "limits" | "network" | "store" | "guarded" | "onNote" | "catalog"> {
  readonly contain?: ContainOptions;
  readonly roots: readonly [string, ...string[]];
  readonly adHoc: readonly string[];
  readonly variables: Readonly<Record<string, readonly string[]>>;
  readonly sidecars: string;
  /** What `~` stands for in a command line. */
  readonly home: string;
  readonly environment: { readonly values: Values; readonly passed: Readonly<Record<string, string>> };
}

/** @throws ToolkeepError `invalid_option` for the first that cannot be used. */
export async function checkedOptions(options: WorkspaceOptions): Promise<CheckedOptions> {
  assertKnownKeys(options, Object.keys(WORKSPACE_OPTIONS), "workspace option");
  const [root, ...others] = await Promise.all(options.roots.map(realFolder));
  if (root === undefined) throw invalidOption("`roots` must name at least one folder.");
  checkNetworkSettings(options.network);
  const { variables = {} } = options;
  assertVariables(variables);
  const own = ["workspace", "ad-hoc", "tmp"].find((name) => Object.hasOwn(variables, name));
  if (own !== undefined) throw invalidOption(`The workspace itself sets the variable {${own}}.`);
  const { limits, network, store, guarded, onNote, catalog, contain } = options;
  return {
    ...defined({ limits, network, store, guarded, onNote, catalog }),
    ...(contain === undefined || contain === false ? {} : { contain: contain === true ? {} : contain }),
    roots: [root, ...others],
    variables,
    adHoc: await Promise.all((options.adHoc ?? []).map(canonicalAdHoc)),
    sidecars: await usableFolder(options.sidecars ?? join(directories().cache, "sidecars")),
    home: await realHome(root),
    environment: environmentOf(options),
  };
}

function environmentOf({ environment = {} }: WorkspaceOptions): CheckedOptions["environment"] {
  const { values = process.env, pass = [] } = environment;
  // The search path is given in any case, as far as a sandbox can have it.
  const names = [...pass, ...MANAGER_VARIABLES].filter((name) => name !== "PATH");
  const entries = names.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { values, passed: { ...certificateFiles(values), ...Object.fromEntries(entries) } };
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(await stat(real)).isDirectory())
    throw invalidOption(`\`roots\` names ${path}, which is not a folder.`);
  return real;
}

async function canonicalAdHoc(path: string): Promise<string> {
  if (!isAbsolute(path))
    throw invalidOption(`\`adHoc\` takes absolute paths; ${JSON.stringify(path)} is relative.`);
  return asOptionError(() => canonicalPath(path));
}

/** The folder need not exist yet. */
async function usableFolder(path: string): Promise<string> {
  const folder = await asOptionError(() => canonicalPath(resolve(path)));
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() === false)
    throw invalidOption(`\`sidecars\` must be a folder; ${path} is a file.`);
  return folder;
}

/** A wrong option is an error of the host application, not a failure of a tool. */
async function asOptionError(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (cause) {
    if (!ToolFailure.isInstance(cause)) throw cause;
    throw invalidOption(cause.message, { cause });
  }
}

/** Effects name real paths, and a command must see its home under the same one. */
async function realHome(root: string): Promise<string> {
  const home = process.env["HOME"] ?? unlessThrown(() => homedir()) ?? root;
  return realpath(home).catch(() => home);
}
