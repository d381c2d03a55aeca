import { ToolFailure } from "@toolkeep/core";
import type { Files, Grant } from "@toolkeep/core/ports";
import { FILE_BOUNDS, type FileBounds } from "./file-bounds.ts";
import { fileFailure } from "./file-failure.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { removeFile } from "./remove-file.ts";
import { searchFiles } from "./search-files.ts";
import { writeFile } from "./write-file.ts";

/**
 * The file access of one call. Every path is resolved, checked, and reached through folders that are held open, so that
 * what was checked is what is opened. Paths are absolute.
 */
export function guardedFiles(grant: Grant, bounds: Partial<FileBounds> = {}): Files {
  const limits: FileBounds = { ...FILE_BOUNDS, ...bounds };
  return Object.freeze({
    read: (path, range = {}) =>
      inWords({ grant, path }, () => readFile({ grant, path, range, mostBytes: limits.readBytes })),
    write: (path, content, options = {}) =>
      inWords({ grant, path }, () =>
        writeFile({ grant, path, content, options, mostBytes: limits.writeBytes }),
      ),
    remove: (path) => inWords({ grant, path }, () => removeFile(grant, path)),
    list: (query) =>
      eachInWords({ grant, path: query.root }, () => listFiles({ grant, query, bounds: limits })),
    search: (query) =>
      eachInWords({ grant, path: query.root }, () => searchFiles({ grant, query, bounds: limits })),
  } satisfies Files);
}

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
