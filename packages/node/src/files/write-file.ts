import { randomBytes } from "node:crypto";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  write,
} from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { ToolFailure } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import type { Grant, WriteOptions, WrittenFile } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { errorCode, fileFailure, systemError } from "./file-failure.ts";
import { pathIn, refuseIrregular, versionOf } from "./opened-file.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";

export interface WriteRequest {
  readonly grant: Grant;
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly options: WriteOptions;
  readonly mostBytes: number;
  readonly before?: BeforeChange | undefined;
}

/** Called right before what is at a path changes. `held` is the same path through a folder that is held open. */
export type BeforeChange = (path: string, held: string) => void;

/**
 * Replaces a file as a whole: a new one is written next to it and takes its name. Mode and owner stay, without the bits
 * that would give the owner's rights to the user who runs it.
 */
export async function writeFile(request: WriteRequest): Promise<WrittenFile> {
  const { grant, path, content, options, mostBytes } = request;
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
  if (size > mostBytes)
    throw new ToolFailure("too_large", `${size} bytes are more than may be written at once (${mostBytes}).`);
  const real = await canonicalPath(path);
  grant.check(fsWrite(real));
  if (real === "/") throw fileFailure(systemError("EISDIR"), real);
  using folder = pinFolder(dirname(real), {
    make: options.expects === undefined || options.expects === ABSENT,
  });
  const target: Target = { folder, name: basename(real), expects: options.expects };
  const old = replaceable(target);
  const made = await createIn(folder, { name: neighbourName(), content, old });
  try {
    // Writing took its time: the call may be over, and the path may lead elsewhere.
    grant.check(fsWrite(real));
    folder.confirm();
    replaceable(target);
    request.before?.(real, folder.at(target.name));
    putInPlace(made.path, target);
    return { version: versionOf(fstatSync(made.descriptor, { bigint: true })) };
  } finally {
    discard(made);
  }
}

/** The version of a file that does not exist. */
export const ABSENT = "absent";
const NEW_FILE_MODE = 0o644;
const PLAIN_BITS = 0o777n;

export interface Target {
  readonly folder: PinnedFolder;
  readonly name: string;
  readonly expects: string | undefined;
}

/** What is at the target now. @throws ToolFailure if it may not be replaced. */
export function replaceable({ folder, name, expects }: Target): BigIntStats | undefined {
  const path = pathIn(folder, name);
  const old = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (expects === ABSENT && old !== undefined) throw changed(path, "exists already", systemError("EEXIST"));
  if (expects !== undefined && expects !== ABSENT && expects !== (old && versionOf(old)))
    throw changed(path, old === undefined ? "was removed" : "was changed in the meantime");
  if (old === undefined) return undefined;
  refuseIrregular(old, path);
  if (old.nlink > 1n)
    throw new ToolFailure("conflict", `${JSON.stringify(path)} has another name elsewhere (a hard link).`, {
      hint: "Remove it first if it should become a file of its own.",
    });
  // The folder alone would allow it: a read-only file stays as it is.
  accessSync(folder.at(name), constants.W_OK);
  return old;
}

export interface MadeFile {
  readonly path: string;
  readonly descriptor: number;
}

interface NewContent {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The file that it replaces. */
  readonly old: BigIntStats | undefined;
}

/** A name for a file that is next to another one for a moment. */
export function neighbourName(): string {
  return `.toolkeep-${randomBytes(12).toString("hex")}.tmp`;
}

/** Waits for the disk alone: what only changes an entry in memory takes less time than a thread's turn. */
export async function createIn(folder: PinnedFolder, { name, content, old }: NewContent): Promise<MadeFile> {
  const path = folder.at(name);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = old === undefined ? NEW_FILE_MODE : 0o600;
  const made: MadeFile = { path, descriptor: openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode) };
  try {
    await writeAll(made.descriptor, typeof content === "string" ? Buffer.from(content) : content);
    if (old !== undefined) takeAfter(made.descriptor, old);
    await sync(made.descriptor);
    return made;
  } catch (error) {
    discard(made);
    throw error;
  }
}

export function discard({ path, descriptor }: MadeFile): void {
  try {
    rmSync(path, { force: true });
  } finally {
    closeSync(descriptor);
  }
}

const writeSome = promisify(write);
const sync = promisify(fsync);

async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await writeSome(descriptor, bytes, done, bytes.length - done)).bytesWritten;
}

function takeAfter(descriptor: number, old: BigIntStats): void {
  const { uid, gid } = fstatSync(descriptor, { bigint: true });
  try {
    if (uid !== old.uid || gid !== old.gid) fchownSync(descriptor, Number(old.uid), Number(old.gid));
  } catch (error) {
    // Only root can give files away; otherwise the new one belongs to this user, as a copy would.
    if (errorCode(error) !== "EPERM") throw error;
  }
  fchmodSync(descriptor, Number(old.mode & PLAIN_BITS));
}

export function putInPlace(made: string, { folder, name, expects }: Target): void {
  if (expects !== ABSENT) {
    renameSync(made, folder.at(name));
    return;
  }
  try {
    // Unlike a rename, it fails if another process was faster.
    linkSync(made, folder.at(name));
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw changed(pathIn(folder, name), "exists already", error);
    if (!lacksLinks(error)) throw error;
    renameSync(made, folder.at(name));
  }
  rmSync(made, { force: true });
}

/** Whether it failed because the file system has no hard links. */
export function lacksLinks(error: unknown): boolean {
  return NO_LINKS.has(errorCode(error) ?? "");
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

function changed(path: string, what: string, cause?: unknown): ToolFailure {
  const hint = "Read it again before you write it.";
  return new ToolFailure("conflict", `${JSON.stringify(path)} ${what}.`, { hint, cause });
}
