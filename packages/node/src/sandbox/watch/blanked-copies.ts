import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { holdFolder, type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import { blankedSettings } from "../../git/blanked-settings.ts";
import { type Find, identityOf } from "../scan/find.ts";

/**
 * Gives hidden settings of a package manager a copy without their secrets, to be mounted in their place: a program that
 * cannot read them would use others, and perhaps another registry. What has no such copy stays hidden.
 */
export function withCopies(
  finds: readonly Find[],
  { read, write, hidden, isDeniedToRead }: SandboxProfile,
): readonly Find[] {
  const isOpen = (path: string) => read.includes(path) || write.includes(path);
  const isHidden = (path: string) =>
    hidden.some((one) => isWithin(path, one)) || isDeniedToRead?.(path) === true;
  return finds.map((find) => {
    if (!isSettings(find) || isOpen(find.path) || isHidden(find.path)) return find;
    const copied = copyOf(find);
    // A command that may write to the copies could change them.
    if (copied === undefined || write.some((folder) => isWithin(copied.copy, folder))) return find;
    const { isModified, ...same } = find;
    return copied.isWhole ? { ...same, copy: copied.copy } : { ...find, copy: copied.copy };
  });
}

function isSettings({ path, type, kind, shown }: Find): boolean {
  return (
    basename(path) === ".npmrc" && type === "file" && kind === "auto-executed secret" && shown === undefined
  );
}

interface Copied {
  readonly copy: string;
  /** Nothing is left out. */
  readonly isWhole: boolean;
}

function copyOf({ path, identity }: Find): Copied | undefined {
  try {
    using folder = holdFolder(dirname(path));
    const file = readSmallFile(folder.at(basename(path)), {
      mostBytes: MOST_BYTES,
      followsLinks: false,
      isMeant: (stats) => identityOf(stats) === identity,
    });
    const text = file === undefined ? undefined : blankedSettings(file.bytes);
    if (text === undefined) return undefined;
    return { copy: keptCopy(text), isWhole: text === file?.bytes.toString() };
  } catch {
    // Gone, closed, or there is no place for a copy.
    return undefined;
  }
}

const MOST_BYTES = 65_536;

/** Copies by their content, so that few are kept. */
function keptCopy(text: string): string {
  const name = createHash("sha256").update(text).digest("hex");
  using folder = copiesFolder();
  if (lstatSync(folder.at(name), { throwIfNoEntry: false }) === undefined) writeCopy(folder, name, text);
  return join(folder.path, name);
}

/** As a whole or not at all: another process may look for it meanwhile. */
function writeCopy(folder: PinnedFolder, name: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const made = `${name}.${randomBytes(6).toString("hex")}`;
  const file = openSync(folder.at(made), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeSync(file, text);
    fchmodSync(file, isRoot() ? 0o444 : 0o400);
  } finally {
    closeSync(file);
  }
  renameSync(folder.at(made), folder.at(name));
}

/** Root has the sandbox built by another user, who must reach the copies. They cannot be listed. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** One for each user, which stays for other processes. No secrets are in it. @throws if another user has a hand in it. */
function copiesFolder(): PinnedFolder {
  const path = join(realpathSync.native(tmpdir()), `toolkeep-settings-${process.getuid?.() ?? "all"}`);
  const mode = isRoot() ? 0o711 : 0o700;
  using around = pinFolder(dirname(path));
  if (lstatSync(around.at(basename(path)), { throwIfNoEntry: false }) === undefined)
    mkdirSync(around.at(basename(path)), { mode });
  using opened = openedFolder(path);
  const stats = fstatSync(opened.descriptor);
  if (stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0)
    throw new Error(`${path} is not a folder for copies`);
  // What masks the mode of new folders may have taken too much.
  if ((stats.mode & 0o777) !== mode) fchmodSync(opened.descriptor, mode);
  return pinFolder(path);
}

function openedFolder(path: string): Disposable & { readonly descriptor: number } {
  using folder = pinFolder(path);
  const descriptor = openSync(folder.at("."), constants.O_RDONLY | constants.O_DIRECTORY);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}
