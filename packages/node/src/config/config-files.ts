import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "../files/path-within.ts";
import type { ConfigLayer } from "./config.ts";

/** A file that may hold configuration. */
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

/** The configuration of a project: from its outermost folder down to the one we are in. Must be trusted before. */
export async function projectFiles(project: string, folder: string): Promise<FoundFiles> {
  const found: FoundFiles[] = [];
  for (const candidates of projectCandidates(project, folder)) found.push(await oneOf(candidates));
  return together(found);
}

/** Every place where a project may have configuration; those that may stand for each other go together. */
export function projectCandidates(project: string, folder: string): readonly (readonly ConfigFile[])[] {
  return foldersBetween(project, folder).flatMap((at) => [
    PROJECT_NAMES.map((name): ConfigFile => ({ layer: "project", file: join(at, name), beneath: project })),
    LOCAL_NAMES.map((name): ConfigFile => ({ layer: "local", file: join(at, name), beneath: project })),
  ]);
}

/** The first of several files that may stand for each other; more than one leaves open which counts. */
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
    // What cannot be told is looked at, and then found to be unreadable.
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
