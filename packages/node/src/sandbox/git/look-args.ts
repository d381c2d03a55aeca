import { expression, GIT_COMMANDS, rowsByName } from "@toolkeep/catalog/internal";

export const TREES = ["diff-tree", "-r", "-m", "--name-only", "--no-renames", "-z"];

export const DIFF = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z"];

/** Also names files of which only the times changed: `reset --hard` writes them anew. */
export const TIMES = ["diff-index", "--name-only", "--no-renames", "--no-ext-diff", "-z"];

export const LOG = ["log", "-m", "--name-only", "--no-renames", "--format=", "-z"];

export const UNTRACKED = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];

/** A name of a commit and nothing that git takes for an option or a pattern. */
export const COMMIT = /^(?:-|[\w@][\w./@{}~^+-]*)$/;

export const VALUES = rowsByName(GIT_COMMANDS.lookValues, expression);

export const ENDING = /^--(?:abort|quit|skip|continue)$/;
