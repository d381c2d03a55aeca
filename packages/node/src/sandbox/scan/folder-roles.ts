export const WITHIN_INSTALLED = /\/(?:node_modules|site-packages)\//;

/**
 * How a folder is read. `plain`: by names. `repository`: the folder of a repository. `modules`: repositories of
 * submodules and worktrees, at any depth because their names may have slashes. `objects`, `record`: what git wrote,
 * where names are those of branches and only whole repositories and links are found. `work`: unfinished work of git.
 * `remotes`: where git fetches from and pushes to. `installed`: packages, among which only repositories are found.
 */
export type FolderRole =
  | "plain"
  | "installed"
  | "repository"
  | "modules"
  | "objects"
  | "record"
  | "work"
  | "remotes";

/** What is installed is run as it is; to look for settings in it would find those of every package. */
export const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages"]);

/**
 * What decides, within the folder of a repository, what git runs and where it looks. The rest of the
 * folder is git's own record, which a command that works with git must be able to write.
 */
export const DECIDING: ReadonlySet<string> = new Set(["config", "config.worktree", "commondir", "gitdir"]);

/** Decides in the folder `info` of a repository, or of its objects. */
export const DECIDING_INFO: ReadonlySet<string> = new Set([
  "attributes",
  "alternates",
  "http-alternates",
  "grafts",
]);

export const LOOKED_INTO: Readonly<Record<string, FolderRole>> = {
  modules: "modules",
  worktrees: "modules",
  info: "modules",
  objects: "objects",
  refs: "record",
  logs: "record",
  "rebase-merge": "work",
  "rebase-apply": "work",
  sequencer: "work",
  "rr-cache": "record",
  "lost-found": "record",
  remotes: "remotes",
  branches: "remotes",
};

export const RECORDS: ReadonlySet<string> = new Set(["refs", "logs", "lfs"]);

/** The folders that objects are kept in. */
export const OBJECTS = /^(?:[0-9a-f]{2}|pack)$/;
