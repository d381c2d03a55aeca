import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { holdFolder, type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { blankedSettings } from "./blanked-settings.ts";
import { type Find, identityOf } from "./scan/find.ts";

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
    const copy = copyOf(find);
    // A command that may write to the copies could change them.
    return copy === undefined || write.some((folder) => isWithin(copy, folder)) ? find : { ...find, copy };
  });
}

function isSettings({ path, type, kind, shown }: Find): boolean {
  return (
    basename(path) === ".npmrc" && type === "file" && kind === "auto-executed secret" && shown === undefined
  );
}

function copyOf({ path, identity }: Find): string | undefined {
  try {
    using folder = holdFolder(dirname(path));
    const file = readSmallFile(folder.at(basename(path)), {
      mostBytes: MOST_BYTES,
      followsLinks: false,
      isMeant: (stats) => identityOf(stats) === identity,
    });
    const text = file === undefined ? undefined : blankedSettings(file.bytes);
    return text === undefined ? undefined : keptCopy(text);
  } catch {
    // Gone, closed, or there is no place for a copy.
    return undefined;
  }
}

const MOST_BYTES = 65_536;

/** Copies by their content, in a folder of this process. */
function keptCopy(text: string): string {
  const name = createHash("sha256").update(text).digest("hex");
  using folder = copiesFolder();
  if (lstatSync(folder.at(name), { throwIfNoEntry: false }) === undefined) writeCopy(folder.at(name), text);
  return join(folder.path, name);
}

/** For all to read: the sandbox may be built by another user, and there are no secrets in it. */
function writeCopy(heldPath: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(heldPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeSync(file, text);
    fchmodSync(file, 0o444);
  } finally {
    closeSync(file);
  }
}

let copies: string | undefined;

/** It can be passed by all users and listed by none but this one. Made anew where something removed it. */
function copiesFolder(): PinnedFolder {
  if (copies !== undefined && lstatSync(copies, { throwIfNoEntry: false })?.isDirectory() === true)
    return pinFolder(copies);
  copies = mkdtempSync(join(realpathSync.native(tmpdir()), "toolkeep-settings-"));
  process.once("exit", removeCopies);
  const folder = pinFolder(copies);
  const opened = openSync(folder.at("."), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fchmodSync(opened, 0o711);
  } finally {
    closeSync(opened);
  }
  return folder;
}

function removeCopies(): void {
  if (copies === undefined) return;
  try {
    using folder = pinFolder(copies);
    for (const name of readdirSync(folder.at("."))) unlinkSync(folder.at(name));
    using around = pinFolder(dirname(copies));
    rmdirSync(around.at(basename(copies)));
  } catch {
    // Something else has removed it.
  }
}
