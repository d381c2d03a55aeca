import { RECOMMENDED_COMMANDS } from "@toolkeep/catalog/internal";

/* The commands of the recommended policy, as patterns of `shell.run`. */
export const {
  /**
   * Commands that read files and print. None of them loads code or settings of the project: those are under
   * `building`, also with `--version` only. Other letters of `ps` show the environment of processes.
   */
  looking: LOOKING,
  /** They change files that their effects name, and rules on these decide. */
  writing: WRITING,
  /** Git commands that only read. */
  showing: SHOWING,
  /** Git commands whose changes git can undo. A start point for a new branch would check out its own files. */
  keeping: KEEPING,
  /**
   * They bring in files of branches that the project's own remote has. `git checkout NAME` is not among them: where there
   * is no such branch, it discards what was changed in a folder of that name.
   */
  following: FOLLOWING,
  /**
   * Git refuses these where changes would be lost. The disk is looked at for what `git checkout NAME`, `switch` and
   * `merge` mean; a name that is no local branch may bring in files of a remote, or discard changes. What `rebase`
   * replaces stays in the reflog.
   */
  switching: SWITCHING,
  /** They fetch packages of the registry by their names, or ask it about them. */
  installing: INSTALLING,
  /**
   * They run code of the project, or programs that its settings name, so they need a sandbox or trust. Hooks are there
   * by their names, because a path below their folders may climb out of these. Other managers than npm and pnpm `run`
   * also programs and files that are no scripts of the project. Every further argument of `make` and the like is another
   * task.
   */
  building: BUILDING,
  /** They run a file of the project, or one that was written among the temporary files: `make` what its file says first. */
  runningFiles: RUNNING_FILES,
  /** Scripts of the project that reach further than the project, by their names, or by what a runner of tasks is given. */
  leaving: LEAVING,
  /** Without a script of that name npm shows the environment, with the secrets in it. */
  showingEnvironment: SHOWING_ENVIRONMENT,
} = RECOMMENDED_COMMANDS;
