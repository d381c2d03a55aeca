import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { findProject } from "../trust/find-project.ts";
import type { ProjectTrust, TrustVerdict } from "../trust/project-trust.ts";
import type { Config, ConfigDiagnostic } from "./config.ts";
import { type FoundFiles, oneOf } from "./config-files.ts";
import { type DirectoryOptions, directories } from "./directories.ts";
import { type MergedConfig, mergeConfig } from "./merge-config.ts";
import { readConfigFile } from "./read-config-file.ts";
import { readProjectConfig } from "./read-project-config.ts";
import { surveyConfig } from "./survey-config.ts";

export interface ReadConfigOptions extends DirectoryOptions {
  /** Where the work is done. The folder of this process where it is left out. */
  readonly cwd?: string;
  /**
   * Decides whether the project's files are read. Left out: they are not. Without `keep`, what a file forbade is not
   * known any more once that file changed, and the configuration is void then.
   */
  readonly trust?: Pick<ProjectTrust, "of"> & Partial<Pick<ProjectTrust, "keep">>;
  /** The file that wins; that of the machine where it is left out. */
  readonly managed?: string;
  /** Users beside us and root whose files count. */
  readonly owners?: readonly number[];
}

/** What all files say, or why nobody can tell. */
export interface ConfigReading {
  /** Missing when there is an error: what a broken file meant to forbid would be allowed. */
  readonly config?: Config;
  readonly origins: MergedConfig["origins"];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** The canonical project that `cwd` belongs to. */
  readonly project: string;
  /** Why the project, as it is now, is not trusted: nothing of it counts but what it forbade when it was. */
  readonly untrusted?: string;
  /** Of a project that was trusted: which things are new or different since. Files that are not among them count. */
  readonly changed?: readonly string[];
}

const START = { line: 1, column: 1 };

/**
 * Reads the configuration of the user, of the project if it is trusted, and of whoever runs the machine.
 * A project's files can narrow what the user's say and never widen it; what the machine's say wins.
 * @throws ToolkeepError `invalid_option` if `cwd` is not there, or `TOOLKEEP_HOME` or `TOOLKEEP_CONFIG` is not absolute.
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
    ...{ isTrusted: false, project, reason: "nobody was asked" },
  };
  const ofProject = await readProjectConfig(verdict, { ...reading, project, cwd });
  const managed = { layer: "managed", file: options.managed ?? own.managedConfig } as const;
  const ofUser = await Promise.all(user.files.map((file) => readConfigFile(file, reading)));
  const ofMachine = await readConfigFile(managed, reading);
  const read = [...ofUser, ofProject, ofMachine];
  const rivals = [...user.rivals, ...ofProject.rivals];
  const diagnostics = [...rivals.map(rivalError), ...read.flatMap(({ diagnostics }) => diagnostics)];
  const { config, origins } = mergeConfig(read.flatMap(({ statements }) => statements));
  const isVoid = diagnostics.some(({ severity }) => severity === "error");
  // Where it cannot be kept, a change makes the configuration void.
  if (verdict.isTrusted && !isVoid)
    await options.trust?.keep?.(project, ofProject.autoExecuted).catch(() => undefined);
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
    throw new ToolkeepError("invalid_option", `There is no folder ${JSON.stringify(cwd)}.`, { cause });
  }
}

/** `TOOLKEEP_CONFIG` takes the place of the user's file, and must be there. */
async function userFile(folder: string, env: NonNullable<DirectoryOptions["env"]>): Promise<FoundFiles> {
  const given = env["TOOLKEEP_CONFIG"];
  if (given === undefined || given === "") {
    const names = ["config.jsonc", "config.json"];
    return oneOf(names.map((name) => ({ layer: "user", file: join(folder, name) })));
  }
  if (isAbsolute(given)) return { files: [{ layer: "user", file: given, isNeeded: true }], rivals: [] };
  const said = JSON.stringify(given);
  throw new ToolkeepError("invalid_option", `TOOLKEEP_CONFIG must be an absolute path, not ${said}.`);
}

function rivalError(files: readonly string[]): ConfigDiagnostic {
  const [file = "", ...others] = files;
  return {
    severity: "error",
    file,
    ...START,
    message: `It stands beside ${others.join(", ")}, and only one of them can count.`,
    instead: "Keep one.",
  };
}
