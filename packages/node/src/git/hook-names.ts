const ON_INDEX = "post-index-change";

const ON_REFS = "reference-transaction";

const ON_COMMIT = `pre-commit prepare-commit-msg commit-msg post-commit pre-auto-gc ${ON_INDEX} ${ON_REFS}`;

const ON_CHECKOUT = `post-checkout ${ON_INDEX} ${ON_REFS}`;

/** The hooks that a command of git may run, by its subcommand (githooks(5)). */
export const HOOKS: Readonly<Record<string, string>> = {
  status: ON_INDEX,
  diff: ON_INDEX,
  add: ON_INDEX,
  rm: ON_INDEX,
  mv: ON_INDEX,
  reset: `${ON_INDEX} ${ON_REFS}`,
  stash: `${ON_INDEX} ${ON_REFS}`,
  restore: ON_INDEX,
  branch: ON_REFS,
  tag: ON_REFS,
  fetch: ON_REFS,
  commit: `${ON_COMMIT} post-rewrite`,
  checkout: ON_CHECKOUT,
  switch: ON_CHECKOUT,
  bisect: ON_CHECKOUT,
  submodule: ON_CHECKOUT,
  "sparse-checkout": ON_INDEX,
  "update-index": ON_INDEX,
  "update-ref": ON_REFS,
  "symbolic-ref": ON_REFS,
  notes: ON_REFS,
  remote: ON_REFS,
  clone: "post-checkout",
  worktree: "post-checkout",
  merge: `pre-merge-commit post-merge ${ON_COMMIT}`,
  pull: `pre-merge-commit post-merge pre-rebase post-rewrite ${ON_COMMIT} ${ON_CHECKOUT}`,
  rebase: `pre-rebase post-rewrite ${ON_COMMIT} ${ON_CHECKOUT}`,
  "cherry-pick": ON_COMMIT,
  revert: ON_COMMIT,
  am: `applypatch-msg pre-applypatch post-applypatch ${ON_COMMIT}`,
  push: "pre-push",
  gc: "pre-auto-gc",
};
