import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type RequirementSet, ToolFailure } from "@toolkeep/core";
import { fsDelete } from "@toolkeep/core/internal";
import type { Files, Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { FILE_BOUNDS, type FileBounds } from "./file-bounds.ts";
import { fileFailure } from "./file-failure.ts";
import { listFiles } from "./list-files.ts";
import { refuseIrregular } from "./opened-file.ts";
import { pinFolder } from "./pinned-folder.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { type BeforeChange, writeFile } from "./write-file.ts";

/**
 * The file access of one call. Every path is resolved, checked, and reached through folders that are held open, so that
 * what was checked is what is opened. Paths are absolute.
 */
export function guardedFiles(
  grant: Grant,
  bounds: Partial<FileBounds> = {},
  before?: BeforeChange,
): SingleFiles {
  const limits: FileBounds = { ...FILE_BOUNDS, ...bounds };
  return Object.freeze({
    read: (path, range = {}) =>
      inWords({ grant, path }, () => readFile({ grant, path, range, mostBytes: limits.readBytes })),
    write: (path, content, options = {}) =>
      inWords({ grant, path }, () =>
        writeFile({ grant, path, content, options, mostBytes: limits.writeBytes, before }),
      ),
    remove: (path) => inWords({ grant, path }, () => removeFile(grant, path, before)),
    list: (query) =>
      eachInWords({ grant, path: query.root }, () => listFiles({ grant, query, bounds: limits })),
    search: (query) =>
      eachInWords({ grant, path: query.root }, () => searchFiles({ grant, query, bounds: limits })),
  } satisfies SingleFiles);
}

/** Everything but changes that belong together. */
export type SingleFiles = Omit<Files, "writeAll">;

interface Act {
  readonly grant: Grant;
  readonly path: string;
}

async function inWords<Outcome>(about: Act, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    about.grant.abortSignal.throwIfAborted();
    return await act();
  } catch (error) {
    throw failureOf(error, about);
  }
}

async function* eachInWords<Entry>(
  about: Act,
  found: () => AsyncIterable<readonly Entry[]>,
): AsyncGenerator<Entry, void, void> {
  try {
    about.grant.abortSignal.throwIfAborted();
    for await (const entries of found()) for (const entry of entries) yield entry;
  } catch (error) {
    throw failureOf(error, about);
  }
}

function failureOf(error: unknown, { grant, path }: Act): unknown {
  if (grant.abortSignal.aborted && !ToolFailure.isInstance(error))
    return new ToolFailure("cancelled", "The call was cancelled.");
  return fileFailure(error, path);
}

/** Removes a file or an empty folder. Never a link, whose target was resolved, and never a folder of the grant. */
async function removeFile(grant: Grant, path: string, before?: BeforeChange): Promise<void> {
  const real = await canonicalPath(path);
  grant.check(fsDelete(real));
  await refuseLink(path, real);
  if (real === "/" || isRoot(real, grant))
    throw new ToolFailure(
      "out_of_scope",
      `${JSON.stringify(real)} is a root of what may be used here: it stays.`,
    );
  using folder = pinFolder(dirname(real));
  const heldPath = folder.at(basename(real));
  const entry = lstatSync(heldPath, { bigint: true });
  if (!entry.isDirectory()) refuseIrregular(entry, real);
  before?.(real, heldPath);
  if (entry.isDirectory()) return rmdirSync(heldPath);
  unlinkSync(heldPath);
}

/** @throws ToolFailure for a path that is a link to what would be removed. */
export async function refuseLink(path: string, real: string): Promise<void> {
  const trimmed = path.replace(/(?<!\/)\/+$/, "");
  const own = `${await canonicalPath(dirname(trimmed))}/${basename(trimmed)}`.replace(/^\/\//, "/");
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new ToolFailure("tool_failed", `${JSON.stringify(own)} is a link to ${JSON.stringify(real)}.`, {
    hint: "Name what should be removed by its own path.",
  });
}

/** Whether a pattern of the grant starts here: `/ws` for `/ws/**`. */
function isRoot(path: string, { requires, ceilings }: Grant): boolean {
  return [requires, ...ceilings].flatMap(patternsOf).some((pattern) => literalFolder(pattern) === path);
}

function patternsOf({ fs }: RequirementSet): readonly string[] {
  return [...(fs?.read ?? []), ...(fs?.write ?? [])];
}

function literalFolder(pattern: string): string | undefined {
  const wild = pattern.search(/[*?{]/);
  return wild === -1 ? undefined : pattern.slice(0, pattern.lastIndexOf("/", wild));
}
