import { ToolFailure } from "@toolkeep/core";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { configuredFinds } from "./configured-finds.ts";
import { type Find, linkIdentity } from "./find.ts";
import { type Looked, look } from "./folder-look.ts";
import { recordFinds } from "./git-records.ts";
import { withLiveSockets } from "./live-sockets.ts";
import { searchedPaths } from "./searched-paths.ts";
import { MOST_FOLDERS, walkFolders } from "./walk-folders.ts";

export interface SurveyOptions {
  /** All of them where it is left out. */
  readonly mostFolders?: number;
  /** Where commands may write; the places themselves where it is left out. */
  readonly write?: readonly string[];
  /** Whether what was found is obeyed, so that what it says counts; everything where it is left out. */
  readonly isAutoExecuted?: (find: Find) => boolean;
  /** Tries to open a folder that could not be looked into; says whether it is worth another look. */
  readonly open?: (folder: Find) => boolean;
  /** Told what was found by its name and place, before settings are followed to more. */
  readonly onFound?: (finds: readonly Find[]) => void;
}

/**
 * Looks beneath folders for protected names and for secrets, without following links. What cannot be
 * looked into is found itself.
 * @throws ToolFailure `unavailable` where there are more than `mostFolders`, and for nothing else.
 */
export async function survey(
  roots: readonly string[],
  options: SurveyOptions = {},
): Promise<readonly Find[]> {
  const { mostFolders = Number.POSITIVE_INFINITY, write = roots, isAutoExecuted = () => true } = options;
  const folders = await walkFolders(
    roots.map((path): Looked => ({ path, place: "plain" })),
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

/**
 * What there is before a command runs.
 * @throws ToolFailure `unavailable` where there is too much, or a place itself cannot be looked into.
 */
export async function surveyProfile(
  profile: SandboxProfile,
  mostFolders = MOST_FOLDERS,
): Promise<readonly Find[]> {
  const directories = searchedPaths(profile);
  const finds = await survey(directories, { mostFolders, write: profile.write });
  const closed = finds.find(({ kind, path }) => kind === "unseen" && directories.includes(path));
  if (closed === undefined) return withLiveSockets(finds, directories);
  throw new ToolFailure(
    "unavailable",
    `Nobody can look for protected names in ${closed.path}: it cannot be listed, or has a folder whose name is not text.`,
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
