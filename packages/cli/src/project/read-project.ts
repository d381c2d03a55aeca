import { join, resolve } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { onlyTools, type Policy, type Watchdog } from "@toolkeep/core/policy";
import { type Config, type ConfigReading, createProjectTrust, readConfig } from "@toolkeep/node";
import { directories, formatConfigDiagnostic } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";
import { ownPlaces } from "./own-places.ts";
import { realFolder } from "./project-folder.ts";
import { type PolicySource, readPolicies } from "./read-policies.ts";

/** What is known of a project before anything is done in it. */
export interface Project {
  /** The canonical folder that `{workspace}` stands for. */
  readonly root: string;
  readonly config: Config;
  readonly policy: Policy["definition"];
  /** Where sessions are kept. */
  readonly storeFolder: string;
  /** What somebody should know, e.g. that the project's own configuration does not count. */
  readonly notes: readonly string[];
  /** What is different in a project that was trusted, and what to type; it is among the notes, too. */
  readonly changed?: string;
}

export interface ReadProjectOptions {
  readonly cwd: string;
  /** The folder to work in. Left out: the repository that `cwd` is in, else `cwd` itself. */
  readonly folder?: string | undefined;
  /** A policy file in the place of those that the configuration names. */
  readonly policyFile?: string | undefined;
}

/**
 * Reads configuration and policy as they count here. A project that nobody trusts has no say; one that
 * changed since it was trusted still forbids.
 * @throws CommandFault for a folder that is not there, and for a configuration or a policy that is not right: nothing is decided by half of one.
 */
export async function readProject({ cwd, folder, policyFile }: ReadProjectOptions): Promise<Project> {
  const named = folder === undefined ? undefined : await realFolder(resolve(cwd, folder));
  const start = named ?? resolve(cwd);
  const reading = await readConfig({ cwd: start, trust: createProjectTrust({ again: "changed" }) });
  const changed = changedNote(reading, start);
  const notes = [
    ...reading.diagnostics.map(formatConfigDiagnostic),
    ...(changed === undefined ? [] : [changed]),
  ];
  const { config } = reading;
  if (config === undefined) {
    throw new CommandError(
      `The configuration is not right, so nothing is decided by it:\n${notes.join("\n")}`,
    );
  }
  const root = named ?? reading.project;
  const policy = readPolicies(sourcesOf(config, { cwd, policyFile }), config.mode);
  return {
    root,
    config,
    policy: { ...policy, watchdogs: [ownPlaces(), ...listsOf(config)] },
    storeFolder: storeFolderOf(config),
    notes,
    ...(changed === undefined ? {} : { changed }),
  };
}

const MOST_NAMES = 5;

/** What is different in a project that was trusted, and how to look at it. */
function changedNote({ project, changed, untrusted }: ConfigReading, start: string): string | undefined {
  if (changed === undefined) return undefined;
  const names = changed.slice(0, MOST_NAMES).map((name) => JSON.stringify(name));
  const more = changed.length > MOST_NAMES ? [`${changed.length - MOST_NAMES} more`] : [];
  const what = names.length === 0 ? (untrusted ?? "it cannot be told") : [...names, ...more].join(", ");
  return visible(
    `${project} is not as it was trusted: ${what}. What it forbids still counts; what it allows in files that changed does not. To look at it and trust it again, type: toolkeep trust --project ${JSON.stringify(start)}`,
  );
}

/** Where sessions are kept: one store for all projects of a user. */
export function storeFolderOf({ journal }: Pick<Config, "journal">): string {
  return journal.folder ?? join(directories().state, "sessions");
}

function sourcesOf(
  config: Config,
  { cwd, policyFile }: Pick<ReadProjectOptions, "cwd" | "policyFile">,
): readonly PolicySource[] {
  if (policyFile !== undefined) return [{ path: resolve(cwd, policyFile), layer: "user" }];
  return config.policy;
}

/** A tool must be on every list of allowed ones, and on none of denied ones. */
function listsOf({ allowed, denied }: Config): readonly Watchdog[] {
  const lists = allowed.map((include) => onlyTools({ include }));
  return denied.length === 0 ? lists : [...lists, onlyTools({ exclude: denied })];
}
