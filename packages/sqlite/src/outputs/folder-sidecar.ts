import { open, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createRedactor, type Redactor, type Sidecar, type SidecarFile, ToolkeepError } from "@toolkeep/core";
import { type DiskQuota, diskQuota } from "./disk-quota.ts";
import { readKept } from "./read-kept.ts";
import { removeFolder } from "./remove-folder.ts";
import { NEW_FILE, openSessionFolder, randomName, sessionName, sizesIn } from "./session-folder.ts";
import { type SpooledOutput, spoolIn } from "./spooled-output.ts";

export interface FolderSidecarOptions {
  /** Where the folders of all sessions are. Must be ours alone to write. */
  readonly folder: string;
  readonly sessionId: string;
  /** The session's own, so that what is declared secret there is found here; else known shapes only. */
  readonly redactor?: Redactor;
  /** For all that the session keeps; 1 GB where it is left out. */
  readonly quotaBytes?: number;
}

/** A sidecar in a folder. What a command writes goes there by itself, and is redacted when it is first read. */
export interface FolderSidecar extends Sidecar {
  /** Where this session's files are. No command may see it. */
  readonly folder: string;
  /**
   * A place for what one command writes, of at most so many bytes.
   * @throws ToolFailure `too_large` when the session's quota is used up.
   */
  spool(callId: string, limitBytes: number): Promise<SpooledOutput>;
  /** A file with these bytes, for a command to read from; to be taken back as soon as the command has it. */
  lend(bytes: Uint8Array): Promise<LentInput>;
}

interface LentInput {
  readonly path: string;
  takeBack(): Promise<void>;
}

const QUOTA_BYTES = 1_024 * 1_024 * 1_024;

/**
 * Keeps output in a folder of the session's own, readable by nobody else. The folder is made when it is first
 * needed.
 * @throws ToolkeepError `invalid_option` for a quota that is none.
 */
export function folderSidecar(options: FolderSidecarOptions): FolderSidecar {
  const { sessionId, redactor = createRedactor(), quotaBytes = QUOTA_BYTES } = options;
  if (!Number.isSafeInteger(quotaBytes) || quotaBytes < 1)
    throw new ToolkeepError(
      "invalid_option",
      `\`quotaBytes\` must be a positive whole number; it was ${quotaBytes}.`,
    );
  const root = resolve(options.folder);
  const folder = join(root, sessionName(sessionId));
  const quota = diskQuota(quotaBytes);
  const beingWritten = new Set<string>();
  const beingRedacted = new Map<string, Promise<void>>();
  let opened: Promise<void> | undefined;

  async function openFolder(): Promise<void> {
    await openSessionFolder(root, sessionId);
    quota.reset(await sizesIn(folder));
  }

  async function ensureFolder(): Promise<void> {
    opened ??= openFolder();
    await opened.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
  }

  return {
    folder,
    async open() {
      await ensureFolder();
      return newFile(join(folder, `${randomName()}.out`), quota);
    },
    read: (path, range) => readKept({ folder, path, range, redactor, beingWritten, beingRedacted }),
    async spool(_callId, limitBytes) {
      await ensureFolder();
      return spoolIn({ folder, limitBytes, quota, redactor, beingWritten });
    },
    async lend(bytes) {
      await ensureFolder();
      const path = join(folder, `${randomName()}.in`);
      await writeFile(path, bytes, { flag: NEW_FILE, mode: 0o600 });
      return { path, takeBack: () => rm(path, { force: true }) };
    },
    async clear() {
      opened = undefined;
      await removeFolder(folder);
    },
  };
}

/** Writes go one after the other, whether or not they are waited for. */
async function newFile(path: string, quota: DiskQuota): Promise<SidecarFile> {
  const file = await open(path, NEW_FILE, 0o600);
  let writing: Promise<void> = Promise.resolve();
  return {
    path,
    async write(bytes) {
      quota.take(bytes.length);
      const copy = bytes.slice();
      writing = writing.then(() => file.appendFile(copy));
      await writing;
    },
    async close() {
      await writing.finally(() => file.close());
    },
  };
}
