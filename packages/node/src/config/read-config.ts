import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { findProject } from "../trust/find-project.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { Config, ConfigDiagnostic } from "./config.ts";
import { type FoundFiles, oneOf, projectFiles, together } from "./config-files.ts";
import { type MergedConfig, mergeConfig } from "./merge-config.ts";
import { type PlacesOptions, places } from "./places.ts";
import { readConfigFile } from "./read-config-file.ts";
import { surveyConfig } from "./survey-config.ts";

export interface ReadConfigOptions extends PlacesOptions {
  /** Where the work is done. The folder of this process where it is left out. */
  readonly cwd?: string;
  /** Decides whether the project's files are read. Left out: they are not. */
  readonly trust?: Pick<ProjectTrust, "of">;
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
  /** Why nothing of the project was read. */
  readonly untrusted?: string;
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
  const own = places(options);
  const user = await userFile(own.config, options.env ?? process.env);
  const reading = { home, owners };
  const verdict = (await options.trust?.of(project, () => surveyConfig(project, cwd, reading))) ?? {
    isTrusted: false,
    reason: "nobody was asked",
  };
  const ofProject = verdict.isTrusted ? await projectFiles(project, cwd) : { files: [], rivals: [] };
  const managed: FoundFiles = {
    files: [{ layer: "managed", file: options.managed ?? own.managedConfig }],
    rivals: [],
  };
  const { files, rivals } = together([user, ofProject, managed]);
  const covers = verdict.isTrusted ? verdict.covers : undefined;
  const read = await Promise.all(files.map((file) => readConfigFile(file, { ...reading, covers })));
  const diagnostics = [...rivals.map(rivalError), ...read.flatMap(({ problems }) => problems)];
  const { config, origins } = mergeConfig(read.flatMap(({ statements }) => statements));
  const isVoid = diagnostics.some(({ severity }) => severity === "error");
  return {
    ...(isVoid ? {} : { config }),
    origins,
    diagnostics,
    project,
    ...(verdict.isTrusted ? {} : { untrusted: verdict.reason }),
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
async function userFile(folder: string, env: NonNullable<PlacesOptions["env"]>): Promise<FoundFiles> {
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
