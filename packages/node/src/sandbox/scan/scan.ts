import { readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { basename, isAbsolute } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { errorCode } from "../../files/file-failure.ts";
import { configuredFinds } from "./configured-finds.ts";
import { type Find, findAt, linkIdentity } from "./find.ts";
import { recordFinds } from "./git-records.ts";
import { type Looked, look } from "./look-into-folder.ts";
import { withShown } from "./shown-secrets.ts";
import { MOST_FOLDERS, walkFolders } from "./walk-folders.ts";

interface ScanOptions {
  /** Default: no limit. */
  readonly mostFolders?: number;
  /** Where commands can write. Default: the scanned folders. */
  readonly write?: readonly string[];
  /** Whether a find is used by programs, so that its settings are followed. Default: every find is. */
  readonly isAutoExecuted?: (find: Find) => boolean;
  /** Tries to open a folder that cannot be read; returns whether to read it again. */
  readonly open?: (folder: Find) => boolean;
  /** Called with what was found by name and position, before settings are followed. */
  readonly onFound?: (finds: readonly Find[]) => void;
}

/**
 * Looks beneath folders for protected names and for secrets, without following links. What cannot be
 * looked into is found itself.
 * @throws ToolFailure `unavailable` where there are more than `mostFolders`, and for nothing else.
 */
export async function scan(roots: readonly string[], options: ScanOptions = {}): Promise<readonly Find[]> {
  const { mostFolders = Number.POSITIVE_INFINITY, write = roots, isAutoExecuted = () => true } = options;
  const folders = await walkFolders(
    roots.map((path): Looked => ({ path, role: "plain" })),
    {
      ...{ look, mostFolders, tooMany: () => tooMany(roots, mostFolders) },
      atError(looked, folder) {
        const [closed] = folder.finds;
        return closed !== undefined && options.open?.(closed) === true ? look(looked) : folder;
      },
    },
  );
  const finds = folders.flatMap((folder) => folder.finds);
  const records = new Set(folders.flatMap((folder) => folder.records));
  const known = finds.map((find) => withIdentity(find, write));
  for (const record of records) for (const find of recordFinds(record)) known.push(find);
  options.onFound?.(known);
  const configured = configuredFinds(known, { write, isAutoExecuted });
  return [...known, ...configured.map((find) => withIdentity(find, write))];
}

function withIdentity(find: Find, write: readonly string[]): Find {
  return find.type === "link" ? { ...find, identity: linkIdentity(find.path, write) } : find;
}

/** Scans before a command runs. @throws ToolFailure `unavailable` for too many folders, or an unreadable one. */
export async function surveyProfile(
  profile: SandboxProfile,
  mostFolders = MOST_FOLDERS,
): Promise<readonly Find[]> {
  const directories = searchedPaths(profile);
  const finds = await scan(directories, { mostFolders, write: profile.write });
  const closed = finds.find(({ kind, path }) => kind === "unseen" && directories.includes(path));
  if (closed === undefined) return withLiveSockets(withShown(finds, profile), directories);
  throw new ToolFailure(
    "unavailable",
    `Protected names cannot be searched in ${closed.path}: it cannot be listed, or has a folder whose name is not text.`,
    { hint: "Give yourself the right to read and enter it (chmod u+rx), and rename such folders." },
  );
}

function tooMany(roots: readonly string[], mostFolders: number): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${mostFolders} folders beneath ${roots.join(", ")}: too many to look for protected names.`,
    { hint: "Give the tool a smaller folder, or raise `mostFolders` of the sandbox." },
  );
}

/*
 * A Unix socket beneath the folders of a sandbox leads out of it: a network namespace does not contain sockets that
 * have a path. So sockets are masked when the sandbox starts. One that no process listens on stays as it is, because a
 * masked file cannot be removed, and programs remove the sockets of their last run.
 */

/** Instead of the sockets that were found, those that some process listens on, also where the survey does not look. */
async function withLiveSockets(
  finds: readonly Find[],
  directories: readonly string[],
): Promise<readonly Find[]> {
  const listed = process.platform === "linux" && directories.length > 0 ? listedPaths() : [];
  const bound = [...new Set(listed.filter(isAbsolute))].flatMap((path) => socketAt(path, directories));
  const known = new Set(bound.map(({ path }) => path));
  // Whose folder the kernel does not tell. A server may not bear a connection that ends at once, so none is made to it.
  const relative = new Set(listed.filter((path) => !isAbsolute(path)).map((path) => basename(path)));
  const doubtful = finds.filter(({ path, kind }) => kind === "socket" && !known.has(path));
  const isLive = async ({ path }: Find) => relative.has(basename(path)) || (await isListenedOn(path));
  const live = await Promise.all(doubtful.map(async (find) => ((await isLive(find)) ? [find] : [])));
  return [...finds.filter(({ kind }) => kind !== "socket"), ...bound, ...live.flat()];
}

const LIST = "/proc/net/unix";
/** Seven numbers, the last one filled up with blanks, and the path. */
const BOUND = /^(?:[0-9A-Fa-f]+:? +){7}([^@].*)$/;

/** Sockets with a path, as the kernel lists them for this network namespace: as they were bound, also relative ones. */
function listedPaths(): readonly string[] {
  return listOfKernel()
    .split("\n")
    .flatMap((line) => BOUND.exec(line)?.[1] ?? []);
}

function listOfKernel(): string {
  try {
    return readFileSync(LIST, "utf8");
  } catch (error) {
    throw new ToolFailure(
      "unavailable",
      `Sockets that lead out of the sandbox cannot be listed: ${LIST} cannot be read (${errorCode(error) ?? "unknown error"}).`,
      { hint: "Mount /proc, and let this process read it. No command runs without that list." },
    );
  }
}

function socketAt(path: string, directories: readonly string[]): readonly Find[] {
  try {
    const end = realpathSync.native(path);
    const find = directories.some((folder) => isWithin(end, folder)) ? findAt(end, "socket") : undefined;
    return find?.type === "other" ? [find] : [];
  } catch {
    return [];
  }
}

/** Only a refused connection means that nothing listens: a socket of another kind, or without permission, is unknown. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  });
}

/**
 * What is searched before a command, for protected names, secrets and what rules deny: all that it may read or change,
 * except the programs of the system. A workspace may be among them, as `/usr/src/app` is in many containers: what a
 * command may change or runs in is searched wherever it is.
 */
export function searchedPaths({
  read,
  write,
  cwd,
}: Pick<SandboxProfile, "read" | "write" | "cwd">): readonly string[] {
  const isOfSystem = (path: string) => SYSTEM.test(path) || (PROGRAMS.test(path) && !isWithin(cwd, path));
  const paths = [...new Set([...read, ...write])].filter((path) => write.includes(path) || !isOfSystem(path));
  const isFoundFrom = (path: string, other: string) =>
    isBeneath(path, other) && !PASSED_OVER.test(path.slice(other.length));
  return paths.filter((path) => !paths.some((other) => isFoundFrom(path, other)));
}

/** No search of a folder around them looks into these for every name. */
const PASSED_OVER = /\/(?:node_modules|site-packages|\.git)(?:\/|$)/i;

const SYSTEM = /^\/usr(?:\/local)?$/;
const PROGRAMS = /^\/usr\/(?:local\/)?(?:bin|sbin|lib[^/]*|share|include|games|etc|man)(?:\/|$)/;
