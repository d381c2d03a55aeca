import { execFile, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  readdirSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { pinFolder } from "../files/pinned-folder.ts";
import { isRunning } from "../processes/process-tree.ts";
import { findProgram } from "../sandbox/host/installation.ts";
import { grantRights } from "../sandbox/mounts/open-up.ts";

/** The folder for temporary files of one session. */
export interface TemporaryFolder {
  /** Where it is on the machine. Made when it is first asked for. */
  path(): string;
  /** Where it is; `undefined` before it was made and after it was removed. */
  readonly made: string | undefined;
  /** Whether it holds more than it may. */
  isOver(): Promise<boolean>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** What a session may keep in it, in bytes and in files and folders. */
export interface TemporaryBounds {
  readonly bytes: number;
  readonly entries: number;
}

export const TEMPORARY_BOUNDS: TemporaryBounds = Object.freeze({ bytes: 2 * 2 ** 30, entries: 100_000 });

/**
 * On a disk where the machine has one, because what is in `/tmp` may be in memory. The outer folder is closed to other
 * users; where this process is root, commands run as another user and must get through it.
 */
export function temporaryFolder(bounds: TemporaryBounds = TEMPORARY_BOUNDS): TemporaryFolder {
  let outer: string | undefined;
  let inner: string | undefined;
  let emptySince: bigint | undefined;

  /** As it was when it was empty: whatever is made in it changes the time of it. */
  function isEmptyStill(folder: string): boolean {
    return emptySince !== undefined && timeOf(folder) === emptySince;
  }

  function isNearlyEmpty(folder: string): boolean {
    const time = timeOf(folder);
    const found = lookInto(folder, bounds);
    // A change shortly after another one may have the same time.
    emptySince = found === "empty" && isSettled(time) ? time : undefined;
    return found !== "more";
  }

  function make(): string {
    outer = mkdtempSync(join(baseFolder(), `${PREFIX}${process.pid}-`));
    inner = join(outer, "tmp");
    removeAtExit(outer);
    mkdirSync(inner);
    chmodSync(outer, isRoot() ? 0o711 : 0o700);
    // As programs expect it of `/tmp`. The outer folder keeps others out, unless it has to let them pass.
    chmodSync(inner, isRoot() ? 0o700 : 0o1777);
    return inner;
  }

  return {
    path: () => inner ?? make(),
    get made() {
      return inner;
    },
    isOver: async () =>
      inner !== undefined && !isEmptyStill(inner) && !isNearlyEmpty(inner) && (await isAbove(inner, bounds)),
    async empty() {
      if (outer !== undefined && inner !== undefined)
        await removeContent(inner, mkdtempSync(join(outer, "old-")));
    },
    async remove() {
      const gone = outer;
      outer = undefined;
      inner = undefined;
      if (gone === undefined) return;
      await removeAll([gone]);
      present.delete(gone);
    },
  };
}

const PREFIX = "toolkeep-tmp-";

/** Those of sessions that were not closed go with the process, if it ends by itself. */
const present = new Set<string>();
let isListening = false;

function removeAtExit(folder: string): void {
  if (!isListening) process.once("exit", removePresent);
  isListening = true;
  present.add(folder);
}

function removePresent(): void {
  const rm = ["/usr/bin/rm", "/bin/rm"].find(existsSync);
  if (rm !== undefined && present.size > 0) spawnSync(rm, ["-rf", "--", ...present], { env: {}, cwd: "/" });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function baseFolder(): string {
  const found = ["/var/tmp", tmpdir()].find(isWritable) ?? tmpdir();
  return realpathSync.native(found);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Moved away at once, because there may be more names than a program takes. */
async function removeContent(folder: string, away: string): Promise<void> {
  const left: string[] = [];
  for (const name of readdirSync(folder)) {
    try {
      renameSync(join(folder, name), join(away, name));
    } catch {
      // A folder that a command closed.
      left.push(join(folder, name));
    }
  }
  await removeAll([away]);
  for (let from = 0; from < left.length; from += 500) await removeAll(left.slice(from, from + 500));
}

/**
 * What commands left there may be swapped for links while it is removed, if one of them still runs: so this is done by
 * a program that holds the folders it is in. Folders that a command closed are opened first, where removing fails.
 */
export async function removeAll(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const [rm, chmod] = await Promise.all([findProgram("rm"), findProgram("chmod")]);
  if (rm === undefined) return;
  if ((await isDone(rm, ["-rf", "--", ...paths])) || chmod === undefined) return;
  await isDone(chmod, ["-R", "u+rwx", "--", ...paths]);
  await isDone(rm, ["-rf", "--", ...paths]);
}

const run = promisify(execFile);

async function isDone(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, [...args], { env: {}, cwd: "/" }).then(
    () => true,
    () => false,
  );
}

const FEW = 32;

/** Whether there are so few files, and no folders, that counting them takes less time than starting a thread. */
function lookInto(folder: string, { bytes, entries }: TemporaryBounds): "empty" | "little" | "more" {
  try {
    using found = opendirSync(folder);
    let size = 0;
    for (let seen = 0; seen < Math.min(FEW, entries + 1); seen += 1) {
      const entry = found.readSync();
      if (entry === null) return seen === 0 ? "empty" : size <= bytes ? "little" : "more";
      if (entry.isDirectory()) return "more";
      size += lstatSync(join(folder, entry.name)).blocks * 512;
    }
    return "more";
  } catch {
    return "more";
  }
}

/** When something in it was made or removed last, in nanoseconds. No command can set it, unlike the other times. */
function timeOf(folder: string): bigint | undefined {
  return lstatSync(folder, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
}

const SETTLED_MS = 1_000;

function isSettled(time: bigint | undefined): boolean {
  return time !== undefined && Date.now() - Number(time / 1_000_000n) > SETTLED_MS;
}

/** Follows no links. What vanishes meanwhile, and what is closed to us for good, counts nothing. */
export async function isAbove(folder: string, { bytes, entries }: TemporaryBounds): Promise<boolean> {
  const open = [folder];
  let size = 0;
  let seen = 0;
  for (const at of open) {
    const found = (await sizesIn(at, entries)) ?? (await sizesIn(openedUp(at), entries));
    open.push(...(found?.folders ?? []));
    size += found?.bytes ?? 0;
    seen += found?.entries ?? 0;
    if (size > bytes || seen > entries) return true;
  }
  return false;
}

interface Sizes {
  readonly folders: readonly string[];
  readonly bytes: number;
  readonly entries: number;
}

async function sizesIn(folder: string, most: number): Promise<Sizes | undefined> {
  const folders: string[] = [];
  let bytes = 0;
  let entries = 0;
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      // The blocks that it takes: a sparse file is no large one.
      else if (entry.isFile())
        bytes += await lstat(path).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        );
      entries += 1;
      if (entries > most) break;
    }
    return { folders, bytes, entries };
  } catch {
    return undefined;
  }
}

/** A command may close a folder, and go on writing to it. */
function openedUp(path: string): string {
  try {
    using around = pinFolder(dirname(path));
    grantRights(around.at(basename(path)));
  } catch {
    // It is gone, or belongs to another user.
  }
  return path;
}

const OLD_MS = 24 * 60 * 60 * 1_000;

/** Removes what sessions of processes that crashed left behind. Nothing depends on it. */
export async function sweepTemporaryFolders(
  base: string = baseFolder(),
  olderThanMs = OLD_MS,
): Promise<void> {
  const own = readdirSync(base).filter((name) => name.startsWith(PREFIX));
  const left = own.map((name) => join(base, name)).filter((path) => isLeftBehind(path, olderThanMs));
  await removeAll(left);
}

function isLeftBehind(path: string, olderThanMs: number): boolean {
  const [, pid = ""] = /toolkeep-tmp-(\d+)-[^/]*$/.exec(path) ?? [];
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (pid === "" || stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return false;
  return Date.now() - stats.ctimeMs > olderThanMs && !isRunning(Number(pid));
}
