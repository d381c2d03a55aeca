import { randomBytes } from "node:crypto";
import { accessSync, type BigIntStats, constants, linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import type { Grant, WriteOptions, WrittenFile } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { errorCode } from "./file-failure.ts";
import { pathIn, refuseIrregular, versionOf } from "./opened-file.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";

export interface WriteRequest {
  readonly grant: Grant;
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly options: WriteOptions;
  readonly mostBytes: number;
}

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
  if (real === "/") throw new ToolFailure("tool_failed", '"/" is a folder.', { hint: "Name a file." });
  using folder = pinFolder(dirname(real), {
    make: options.expects === undefined || options.expects === ABSENT,
  });
  const target: Target = { folder, name: basename(real), expects: options.expects };
  const old = replaceable(target);
  const made = await createNextTo(target, { content, old });
  try {
    // Writing took its time: the call may be over, and the path may lead elsewhere.
    grant.check(fsWrite(real));
    folder.confirm();
    replaceable(target);
    putInPlace(made.path, target);
    return { version: versionOf(await made.file.stat({ bigint: true })) };
  } finally {
    rmSync(made.path, { force: true });
    await made.file.close();
  }
}

const ABSENT = "absent";
const NEW_FILE_MODE = 0o644;
const PLAIN_BITS = 0o777n;

interface Target {
  readonly folder: PinnedFolder;
  readonly name: string;
  readonly expects: string | undefined;
}

/**
 * What is at the target now.
 * @throws ToolFailure if it may not be replaced.
 */
function replaceable({ folder, name, expects }: Target): BigIntStats | undefined {
  const path = pathIn(folder, name);
  const old = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (expects === ABSENT && old !== undefined) throw changed(path, "exists already");
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

interface MadeFile {
  readonly path: string;
  readonly file: FileHandle;
}

interface NewContent {
  readonly content: string | Uint8Array;
  /** The file that it replaces. */
  readonly old: BigIntStats | undefined;
}

async function createNextTo({ folder }: Target, { content, old }: NewContent): Promise<MadeFile> {
  const path = folder.at(`.toolkeep-${randomBytes(12).toString("hex")}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(
    path,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    old === undefined ? NEW_FILE_MODE : 0o600,
  );
  try {
    await file.writeFile(content);
    if (old !== undefined) await takeAfter(file, old);
    await file.sync();
    return { path, file };
  } catch (error) {
    rmSync(path, { force: true });
    await file.close();
    throw error;
  }
}

async function takeAfter(file: FileHandle, old: BigIntStats): Promise<void> {
  const { uid, gid } = await file.stat({ bigint: true });
  try {
    if (uid !== old.uid || gid !== old.gid) await file.chown(Number(old.uid), Number(old.gid));
  } catch (error) {
    // Only root can give files away; otherwise the new one belongs to this user, as a copy would.
    if (errorCode(error) !== "EPERM") throw error;
  }
  await file.chmod(Number(old.mode & PLAIN_BITS));
}

function putInPlace(made: string, { folder, name, expects }: Target): void {
  if (expects !== ABSENT) {
    renameSync(made, folder.at(name));
    return;
  }
  try {
    // Unlike a rename, it fails if another process was faster.
    linkSync(made, folder.at(name));
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw changed(pathIn(folder, name), "exists already");
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
    renameSync(made, folder.at(name));
  }
  rmSync(made, { force: true });
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

function changed(path: string, what: string): ToolFailure {
  return new ToolFailure("conflict", `${JSON.stringify(path)} ${what}.`, {
    hint: "Read it again before you write it.",
  });
}
