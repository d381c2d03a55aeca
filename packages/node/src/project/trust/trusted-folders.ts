import { homedir } from "node:os";
import type { OwnedFolder } from "../../owned-files/owned-folder.ts";
import type { ProjectTrust } from "./project-trust.ts";

/** Where skills, agents and guides are looked for. */
export interface FindOptions {
  /** The project whose files are wanted. Nothing of it is read before it is trusted. */
  readonly project?: string;
  /** Decides about the project. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The user's own folder, where it is not the home folder; nothing of the user with `false`. */
  readonly user?: string | false;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

export const FIND_OPTIONS = ["project", "trust", "user", "owners"] as const satisfies (keyof FindOptions)[];

/** The project, if it is trusted, and then the user's folder. `untrusted`: why a given project is not among them. */
export async function foldersOf({ project, trust, user = homedir(), owners = [] }: FindOptions): Promise<{
  readonly folders: readonly OwnedFolder[];
  readonly untrusted?: string;
}> {
  const verdict = project === undefined ? undefined : await trust.of(project);
  const folders: OwnedFolder[] = [];
  if (verdict?.isTrusted === true)
    folders.push({ folder: verdict.project, beneath: verdict.project, owners, covers: verdict.covers });
  if (user !== false) folders.push({ folder: user, owners });
  return { folders, ...(verdict?.isTrusted === false ? { untrusted: verdict.reason } : {}) };
}
