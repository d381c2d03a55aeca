import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import type { ConfigDiagnostic, ConfigLayer } from "./config.ts";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import { readConfigText, type Statement } from "./read-config-text.ts";

/** A file that may contain configuration. */
export interface ConfigFile {
  readonly layer: ConfigLayer;
  readonly file: string;
  /** A canonical folder that it must not lead out of. */
  readonly beneath?: string;
  /** Whether it is an error if it is not there. */
  readonly isNeeded?: boolean;
}

export interface FoundFiles {
  readonly files: readonly ConfigFile[];
  /** Files of which only one may be there. */
  readonly rivals: readonly (readonly string[])[];
}

const PROJECT_NAMES = [
  ".toolkeep/config.jsonc",
  ".toolkeep/config.json",
  "toolkeep.jsonc",
  "toolkeep.json",
] as const;
const LOCAL_NAMES = [".toolkeep/config.local.jsonc", ".toolkeep/config.local.json"] as const;

/** The configuration of a trusted project, from its outermost folder down to the current one. */
export async function projectFiles(project: string, folder: string): Promise<FoundFiles> {
  const found: FoundFiles[] = [];
  for (const candidates of projectCandidates(project, folder)) found.push(await oneOf(candidates));
  return together(found);
}

/** Every path where a project may have configuration. Files that are alternatives to each other are in one group. */
export function projectCandidates(project: string, folder: string): readonly (readonly ConfigFile[])[] {
  return foldersBetween(project, folder).flatMap((at) => [
    PROJECT_NAMES.map((name): ConfigFile => ({ layer: "project", file: join(at, name), beneath: project })),
    LOCAL_NAMES.map((name): ConfigFile => ({ layer: "local", file: join(at, name), beneath: project })),
  ]);
}

/** The first of several alternative files. More than one is reported, because it would be unclear which one applies. */
export async function oneOf(candidates: readonly ConfigFile[]): Promise<FoundFiles> {
  const there: ConfigFile[] = [];
  for (const candidate of candidates) if (await isThere(candidate.file)) there.push(candidate);
  const rivals = there.length > 1 ? [there.map(({ file }) => file)] : [];
  return { files: there.slice(0, 1), rivals };
}

function together(found: readonly FoundFiles[]): FoundFiles {
  return { files: found.flatMap(({ files }) => files), rivals: found.flatMap(({ rivals }) => rivals) };
}

function foldersBetween(project: string, folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; isWithin(at, project); at = dirname(at)) {
    folders.unshift(at);
    if (dirname(at) === at) break;
  }
  return folders;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A file whose existence is unknown is read, and then found to be unreadable.
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

export interface ReadingOptions {
  readonly home: string;
  readonly owners: readonly number[];
  /** Whether a project's file with this hash is what was trusted. Default: it is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** The settings of one file, and what is wrong with it. */
interface ReadConfigFile {
  readonly statements: readonly Statement[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Of what is in it; missing where there is nothing, or nothing to be read. */
  readonly hash?: string;
  readonly text?: string;
}

export const MOST_CONFIG_BYTES = 1_000_000;
const START = { line: 1, column: 1 };

/** Reads one configuration file, if it is there. Never throws for what is in the way. */
export async function readConfigFile(config: ConfigFile, options: ReadingOptions): Promise<ReadConfigFile> {
  const { layer, file, beneath, isNeeded = false } = config;
  const { home, owners, covers } = options;
  const diagnostics = new ConfigDiagnostics(file);
  const within = beneath === undefined ? {} : { beneath };
  const found = await readOwnedFile(file, { mostBytes: MOST_CONFIG_BYTES, owners, ...within });
  if (found === undefined) {
    if (isNeeded) diagnostics.error(START, "There is no such file.", "Change TOOLKEEP_CONFIG.");
    // A project's files are read only where there is something of that name.
    else if (beneath !== undefined) diagnostics.error(START, "The file is refused: it is a link to nothing.");
    return { statements: [], diagnostics: diagnostics.all };
  }
  if (found.error !== undefined) {
    diagnostics.error(START, `The file is refused: ${found.error}.`);
    return { statements: [], diagnostics: diagnostics.all };
  }
  const hash = sha256(found.text);
  const isProjects = layer === "project" || layer === "local";
  if (isProjects && covers?.(file, hash) === false) {
    diagnostics.error(
      START,
      "The file is refused: it is not what was trusted.",
      "Read the configuration again.",
    );
    return { statements: [], diagnostics: diagnostics.all };
  }
  const statements = readConfigText(found.text, { layer, file, home, diagnostics, ...within });
  return { statements, diagnostics: diagnostics.all, hash, text: found.text };
}

/**
 * The part of a project's configuration that would apply in a folder: its files from the outermost folder down to that
 * one, and the policy files that they name. By path, with a hash. The project must be trusted before.
 */
export async function surveyConfig(
  project: string,
  folder: string,
  options: ReadingOptions,
): Promise<ReadonlyMap<string, string>> {
  const things = new Map<string, string>();
  for (const config of (await projectFiles(project, folder)).files) {
    const { hash, statements } = await readConfigFile(config, options);
    if (hash !== undefined) things.set(config.file, hash);
    for (const { path, value } of statements) {
      if (path.join(".") !== "policy") continue;
      for (const policy of policyCandidates(String(value), config.file)) {
        const hashOfPolicy = await policyHash(policy, project, options);
        if (hashOfPolicy !== undefined) things.set(policy, hashOfPolicy);
        if (hashOfPolicy !== undefined) break;
      }
    }
  }
  return things;
}

/**
 * Where a policy may be that a configuration names: next to the configuration; for one in the folder `.toolkeep`, the
 * folder that contains it is next. The first that exists is meant.
 */
export function policyCandidates(path: string, config: string): readonly string[] {
  const folder = dirname(config);
  if (basename(folder) !== ".toolkeep" || !isWithin(path, folder)) return [path];
  return [path, join(dirname(folder), relative(folder, path))];
}

async function policyHash(
  path: string,
  beneath: string,
  { owners }: ReadingOptions,
): Promise<string | undefined> {
  const found = await readOwnedFile(path, { mostBytes: MOST_CONFIG_BYTES, beneath, owners });
  if (found === undefined) return undefined;
  return found.error === undefined ? sha256(found.text) : `unread: ${found.error}`;
}
