import { open, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createRedactor, type Redactor } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { Sidecar, SidecarFile } from "@toolkeep/core/journal";

import { type DiskQuota, diskQuota } from "./disk-quota.ts";
import { readOutput } from "./read-output.ts";
import {
  NEW_FILE,
  openSessionFolder,
  randomName,
  removeFolder,
  sessionName,
  sizesIn,
} from "./session-folder.ts";
import { type SpooledOutput, spoolIn } from "./spooled-output.ts";

export interface FolderSidecarOptions {
  /** Holds one folder per session. Must be writable by the user alone. */
  readonly folder: string;
  readonly sessionId: string;
  /** The redactor of the session, which knows its declared secrets. Default: one that knows common secret formats. */
  readonly redactor?: Redactor;
  /** Limit for everything the session keeps. Default: 1 GB. */
  readonly quotaBytes?: number;
}

/** A sidecar in a folder. Commands write there directly; their output is redacted before it is first read. */
export interface FolderSidecar extends Sidecar {
  /** Where the files of this session are. No command may see it. */
  readonly folder: string;
  /** Reserves a file for one command's output. @throws ToolFailure `too_large` when the session's quota is used up. */
  spool(callId: string, limitBytes: number): Promise<SpooledOutput>;
  /** Writes a file that a command reads its input from. Remove it as soon as the command has opened it. */
  stageInput(bytes: Uint8Array): Promise<StagedInput>;
}

interface StagedInput {
  readonly path: string;
  remove(): Promise<void>;
}

const QUOTA_BYTES = 1_024 * 1_024 * 1_024;

/** Keeps output in a folder per session that no other user can read. @throws ToolkeepError `invalid_option` */
export function folderSidecar(options: FolderSidecarOptions): FolderSidecar {
  const { sessionId, redactor = createRedactor(), quotaBytes = QUOTA_BYTES } = options;
  if (!Number.isSafeInteger(quotaBytes) || quotaBytes < 1)
    throw invalidOption(`\`quotaBytes\` must be a positive whole number; it was ${quotaBytes}.`);
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
    read: (path, range) => readOutput({ folder, path, range, redactor, beingWritten, beingRedacted }),
    async spool(_callId, limitBytes) {
      await ensureFolder();
      return spoolIn({ folder, limitBytes, quota, redactor, beingWritten });
    },
    async stageInput(bytes) {
      await ensureFolder();
      const path = join(folder, `${randomName()}.in`);
      await writeFile(path, bytes, { flag: NEW_FILE, mode: 0o600 });
      return { path, remove: () => rm(path, { force: true }) };
    },
    async clear() {
      opened = undefined;
      await removeFolder(folder);
    },
  };
}

/** Serializes writes, whether or not the caller awaits them. */
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
