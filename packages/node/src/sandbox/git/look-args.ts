export const TREES = ["diff-tree", "-r", "-m", "--name-only", "--no-renames", "-z"];

export const DIFF = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z"];

/** Also names files of which only the times changed: `reset --hard` writes them anew. */
export const TIMES = ["diff-index", "--name-only", "--no-renames", "--no-ext-diff", "-z"];

export const LOG = ["log", "-m", "--name-only", "--no-renames", "--format=", "-z"];

export const UNTRACKED = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];

/** A name of a commit and nothing that git takes for an option or a pattern. */
export const COMMIT = /^(?:-|[\w@][\w./@{}~^+-]*)$/;

export const VALUES: Readonly<Record<string, RegExp>> = {
  checkout: /^(?:-[bB]|--orphan|--conflict)$/,
  switch: /^(?:-[cC]|--create|--force-create|--orphan|--conflict)$/,
  restore: /^(?:-s|--source)$/,
  merge: /^(?:-[mFsX]|--(?:message|file|strategy|strategy-option|into-name|cleanup))$/,
  rebase: /^(?:-[sXx]|--(?:onto|strategy|strategy-option|exec))$/,
  pull: /^(?:-[sX]|--(?:strategy|strategy-option))$/,
  "cherry-pick": /^(?:-[msX]|--(?:mainline|strategy|strategy-option|cleanup))$/,
  revert: /^(?:-[msX]|--(?:mainline|strategy|strategy-option|cleanup))$/,
  stash: /^(?:-m|--message)$/,
};

export const ENDING = /^--(?:abort|quit|skip|continue)$/;
