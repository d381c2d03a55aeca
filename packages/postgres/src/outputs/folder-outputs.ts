import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { OutputStorage } from "./output-storage.ts";

/** Options of `folderOutputs`. */
export interface FolderOutputsOptions {
  /** A folder that all processes share: on one machine, or on a file system that several machines mount. */
  readonly path: string;
}

/**
 * Keeps large outputs in a folder, a file for each, which only its user can read. The folder is created on first use.
 * @throws ToolkeepError `invalid_option` for an unknown option or an empty path.
 *
 * @example
 * const store = await openPostgresStore({ url, keys, outputs: folderOutputs({ path: "/mnt/shared/outputs" }) });
 */
export function folderOutputs(options: FolderOutputsOptions): OutputStorage {
  assertKnownKeys(options, ["path"] satisfies (keyof FolderOutputsOptions)[], "output option");
  if (typeof options.path !== "string" || options.path === "")
    throw invalidOption("Name the folder of the outputs: `path`.");
  const root = resolve(options.path);
  // The first two digits are a folder, so that none has too many files.
  const fileOf = (sha256: string) => join(root, sha256.slice(0, 2), sha256);
  return Object.freeze<OutputStorage>({
    async put(sha256, bytes) {
      const path = fileOf(sha256);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = join(dirname(path), `.${randomUUID()}`);
      try {
        await writeDurably(draft, bytes);
        // Never seen in part: the name is given to whole files only.
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    get: (sha256) => readFile(fileOf(sha256)).catch(undefinedIfMissing),
    has: (sha256) =>
      access(fileOf(sha256), constants.R_OK).then(
        () => true,
        (error: unknown) => undefinedIfMissing(error) ?? false,
      ),
    delete: (sha256) => rm(fileOf(sha256), { force: true }),
  });
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  return undefined;
}
