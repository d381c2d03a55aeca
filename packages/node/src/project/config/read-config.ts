import { realpath } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { invalidOption, unlessThrown } from "@toolkeep/core/internal";
import { type DirectoryOptions, directories } from "../../environment/directories.ts";
import { findProject } from "../trust/find-project.ts";
import type { ProjectTrust, TrustVerdict } from "../trust/project-trust.ts";
import { readCatalogs } from "./catalog-files.ts";
import type { Config, ConfigDiagnostic, ConfigOrigin } from "./config.ts";
import { type FoundFiles, oneOf, readConfigFile, surveyConfig } from "./config-files.ts";
import type { Statement } from "./read-config-text.ts";
import { readProjectConfig } from "./read-project-config.ts";

export interface ReadConfigOptions extends DirectoryOptions {
  /** The folder to work in. Default: the current folder of this process. */
  readonly cwd?: string;
  /**
   * Decides whether the project's files are read. Default: they are not. Without `keep`, what a file forbade is unknown
   * once that file has changed, and the configuration is void then.
   */
  readonly trust?: Pick<ProjectTrust, "of"> & Partial<Pick<ProjectTrust, "keep">>;
  /** The file that overrides all others; one that ends in `.jsonc` may end in `.json`. Default: the one of this machine. */
  readonly managed?: string;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

/** The settings of all files, or the reasons why there are none. */
export interface ConfigReading {
  /** Missing when there is an error: what a broken file meant to forbid would be allowed. */
  readonly config?: Config;
  readonly origins: MergedConfig["origins"];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** The canonical project that `cwd` belongs to. */
  readonly project: string;
  /** Why the project as it is now is not trusted. Nothing of it applies but what it forbade when it was trusted. */
  readonly untrusted?: string;
  /** For a project that was trusted before: what is new or different since. Files that are not listed apply. */
  readonly changed?: readonly string[];
}

const START = { line: 1, column: 1 };

/**
 * Reads the configuration of the user, of the project if it is trusted, and of the administrator. A project's files can
 * narrow the user's settings and never widen them; the administrator's override both.
 * @throws ToolkeepError `invalid_option` if `cwd` does not exist, or `TOOLKEEP_HOME` or `TOOLKEEP_CONFIG` is not
 * absolute.
 *
 * @example
 * const { config, diagnostics } = await readConfig({ trust: createProjectTrust({ decide }) });
 */
export async function readConfig(options: ReadConfigOptions = {}): Promise<ConfigReading> {
  const { home = homedir(), owners = [] } = options;
  const cwd = await canonicalFolder(options.cwd ?? process.cwd());
  const project = await findProject(cwd, { home, owners });
  const own = directories(options);
  const user = await userFile(own.config, options.env ?? process.env);
  const reading = { home, owners };
  const verdict: TrustVerdict = (await options.trust?.of(project, () =>
    surveyConfig(project, cwd, reading),
  )) ?? {
    ...{ isTrusted: false, project, reason: "trust was not asked for" },
  };
  const ofProject = await readProjectConfig(verdict, { ...reading, project, cwd });
  const managedPath = options.managed ?? own.managedConfig;
  const managed = await managedFile(managedPath);
  const ofUser = await Promise.all(user.files.map((file) => readConfigFile(file, reading)));
  const machine = { ...reading, home: options.home ?? accountHome() };
  const ofMachine = await Promise.all(managed.files.map((file) => readConfigFile(file, machine)));
  const catalog = await readCatalogs(verdict, {
    user: own.config,
    administrator: dirname(managedPath),
    isManaged: managed.files.length > 0,
    owners,
  });
  const read = [...ofUser, ofProject, ...ofMachine];
  const rivals = [...user.rivals, ...ofProject.rivals, ...managed.rivals];
  const diagnostics = [
    ...rivals.map(rivalError),
    ...[...read, catalog].flatMap(({ diagnostics: found }) => found),
  ];
  const { config, origins } = mergeConfig(
    read.flatMap(({ statements }) => statements),
    catalog.files,
  );
  const isVoid = diagnostics.some(({ severity }) => severity === "error");
  // Where it cannot be kept, a change makes the configuration void.
  if (verdict.isTrusted && !isVoid)
    await options.trust
      ?.keep?.(project, new Map([...ofProject.autoExecuted, ...catalog.texts]))
      .catch(() => undefined);
  const { known } = verdict.isTrusted ? {} : verdict;
  return {
    ...(isVoid ? {} : { config }),
    origins,
    diagnostics,
    project,
    ...(verdict.isTrusted ? {} : { untrusted: verdict.reason }),
    ...(known === undefined ? {} : { changed: known.things }),
  };
}

async function canonicalFolder(cwd: string): Promise<string> {
  try {
    return await realpath(cwd);
  } catch (cause) {
    throw invalidOption(`There is no folder ${JSON.stringify(cwd)}.`, { cause });
  }
}

/** `TOOLKEEP_CONFIG` replaces the user's file, and must exist. */
async function userFile(folder: string, env: NonNullable<DirectoryOptions["env"]>): Promise<FoundFiles> {
  const given = env["TOOLKEEP_CONFIG"];
  if (given === undefined || given === "") {
    const names = ["config.jsonc", "config.json"];
    return oneOf(names.map((name) => ({ layer: "user", file: join(folder, name) })));
  }
  if (isAbsolute(given)) return { files: [{ layer: "user", file: given, isNeeded: true }], rivals: [] };
  const said = JSON.stringify(given);
  throw invalidOption(`TOOLKEEP_CONFIG must be an absolute path, not ${said}.`);
}

/** The administrator's file, whichever ending it has. */
function managedFile(path: string): Promise<FoundFiles> {
  const names = path.endsWith(".jsonc") ? [path, path.slice(0, -1)] : [path];
  return oneOf(names.map((file) => ({ layer: "managed", file })));
}

/** The home folder that the system has for this user, whatever `HOME` says. */
export function accountHome(): string {
  return unlessThrown(() => userInfo().homedir) ?? homedir();
}

function rivalError(files: readonly string[]): ConfigDiagnostic {
  const [file = "", ...others] = files;
  return {
    code: "invalid_config",
    severity: "error",
    file,
    ...START,
    message: `There is also ${others.join(", ")}, and only one of them can apply.`,
    hint: "Keep one.",
  };
}

interface MergedConfig {
  readonly config: Config;
  /** Every position that sets a key, e.g. `tools.bash.timeoutMs`; the one that applies comes last. */
  readonly origins: ReadonlyMap<string, readonly ConfigOrigin[]>;
}

/** Combines the settings of all files, in the order of their precedence. */
function mergeConfig(statements: readonly Statement[], catalog: Config["catalog"]): MergedConfig {
  const byKey = Map.groupBy(statements, ({ path }) => path.join("."));
  const all = (key: string) => byKey.get(key) ?? [];
  const last = (key: string) => all(key).at(-1)?.value;
  const set = ["mode", "modes", "environment", "servers", "approvers", "clients", "contain"].flatMap(
    (key) => {
      const value = last(key);
      return value === undefined ? [] : [[key, value] as const];
    },
  );
  const parts: { readonly [Key in keyof Config]: unknown } = {
    ...Object.fromEntries(set),
    policy: all("policy").map(({ value, layer, policy }) => ({ path: value, layer, ...policy })),
    tools: toolsOf(statements),
    allowed: all("allowed").map(({ value }) => value),
    denied: [...new Set(all("denied").flatMap(({ value }) => value))],
    sandbox: groupOf("sandbox", statements),
    network: groupOf("network", statements),
    journal: groupOf("journal", statements),
    audit: groupOf("audit", statements),
    identity: groupOf("identity", statements),
    redaction: { shapes: all("redaction.shapes").flatMap(({ value }) => value) },
    catalog,
    roots: last("roots") ?? [],
    files: last("files") ?? [],
  };
  const origins = new Map([...byKey].map(([key, said]) => [key, said.map(originOf)]));
  // Each value was checked against its key when it was read.
  return { config: freezeDeep(parts) as Config, origins };
}

function groupOf(group: string, statements: readonly Statement[]): object {
  const said = statements.filter(({ path }) => path[0] === group);
  return Object.fromEntries(said.map(({ path, value }) => [path[1], value]));
}

/** Settings of tools are merged key by key; the value of a key is replaced as a whole. */
function toolsOf(statements: readonly Statement[]): object {
  const ofTools = statements.filter(({ path }) => path[0] === "tools");
  const byTool = Map.groupBy(ofTools, ({ path }) => path[1] ?? "");
  return Object.fromEntries(
    [...byTool].map(([tool, said]) => [
      tool,
      Object.fromEntries(said.map(({ path, value }) => [path[2], value])),
    ]),
  );
}

function originOf({ value, layer, file, position: { line, column } }: Statement): ConfigOrigin {
  return { value, layer, file, line, column };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
