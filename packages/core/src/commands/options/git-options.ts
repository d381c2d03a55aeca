/*
 * Options of git that only choose what is shown. Left out on purpose: what writes a file (`--output`),
 * runs a program (`--ext-diff`, `--textconv`, `--show-signature`, `-O`), skips a check or reads outside of
 * the repository (`--no-verify`, `--no-index`), deletes or forces. The notation is in `harmless-options.ts`.
 */

const DIFF =
  "-puswbazRWt -U: -M: -C: -B: -S: -G: --patch --no-patch --unified= --raw --stat= --numstat --shortstat --dirstat= " +
  "--summary --compact-summary --name-only --name-status --color= --no-color --word-diff= --word-diff-regex= " +
  "--color-words= --color-moved= --no-renames --find-renames= --find-copies= --check --full-index --binary --abbrev= " +
  "--diff-filter= --pickaxe-all --pickaxe-regex --relative= --no-relative --text --ignore-space-change " +
  "--ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol --minimal --patience --histogram " +
  "--diff-algorithm= --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules= --submodule= --cached " +
  "--staged --merge-base --inter-hunk-context= --function-context --no-prefix --src-prefix= --dst-prefix= " +
  "--indent-heuristic --no-indent-heuristic";

const LOG =
  `${DIFF} -# -n: -L: -igmEFP --oneline --graph --all --decorate= --no-decorate --date= --author= --committer= --grep= ` +
  "--regexp-ignore-case --all-match --invert-grep --extended-regexp --fixed-strings --perl-regexp --since= --until= " +
  "--after= --before= --max-count= --skip= --reverse --merges --no-merges --min-parents= --max-parents= --first-parent " +
  "--follow --pretty= --format= --abbrev-commit --no-abbrev-commit --branches= --tags= --remotes= --topo-order " +
  "--date-order --author-date-order --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark " +
  "--boundary --simplify-by-decoration --full-history --ancestry-path= --walk-reflogs --no-walk= --source --notes= " +
  "--no-notes --full-diff --relative-date --parents --children --not";

const NAMED_REFS =
  "--sort= --format= --contains= --no-contains= --merged= --no-merged= --points-at= --column= --no-column --color= " +
  "--no-color -i --ignore-case";

const QUIET = "-qv --quiet --verbose --progress --no-progress";

const GREP =
  "-nilLcwEFPGhHvoqIapWz -# -e: -A: -B: -C: -m: --line-number --ignore-case --files-with-matches " +
  "--files-without-match --name-only --count --word-regexp --extended-regexp --basic-regexp --fixed-strings " +
  "--perl-regexp --untracked --cached --heading --break --color= --no-color --max-depth= --max-count= --and --or --not " +
  "--all-match --column --show-function --function-context --only-matching --after-context= --before-context= " +
  "--context= --invert-match --text";

export const GIT_OPTIONS: Readonly<Record<string, string>> = {
  "git *": "--no-pager --no-optional-locks --literal-pathspecs --version",
  "git diff": DIFF,
  "git log": LOG,
  "git show": LOG,
  "git whatchanged": LOG,
  "git stash list": LOG,
  "git stash show": DIFF,
  "git reflog show": LOG,
  "git rev-list": `${LOG} --count --objects --disk-usage`,
  "git shortlog": "-sne --summary --numbered --email --group= --since= --until= --no-merges --all",
  // Not `-v`: it shows what is staged, whatever file that is.
  "git status":
    "-sbz -u: --short --branch --show-stash --porcelain= --long --untracked-files= --ignored= " +
    "--ignore-submodules= --column= --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames=",
  "git branch": `-arvlq --all --remotes --verbose --quiet --list --show-current --abbrev= --no-abbrev ${NAMED_REFS}`,
  "git tag": `-la -n: -m: --list --annotate --message= ${NAMED_REFS}`,
  "git check-ignore": "-vnq --verbose --non-matching --quiet",
  "git show-ref": "-dq --heads --branches --tags --verify --dereference --quiet --abbrev=",
  "git reflog": LOG,
  "git for-each-ref": `--count= ${NAMED_REFS}`,
  "git add": "-Auvn -N --all --update --verbose --dry-run --intent-to-add --ignore-errors",
  "git commit":
    "-aqvsz -m: -u: --all --message= --quiet --verbose --signoff --allow-empty --dry-run --short --porcelain --long " +
    "--branch --status --no-status --untracked-files=",
  "git rev-parse":
    "-q --quiet --verify --abbrev-ref= --short= --symbolic --symbolic-full-name --show-toplevel --show-prefix " +
    "--show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir " +
    "--is-bare-repository --is-shallow-repository --path-format= --all --branches= --tags= --remotes=",
  "git blame":
    "-wlstefnpbc -L: -M: -C: --show-email --show-name --show-number --porcelain --line-porcelain --root --date= " +
    "--since= --abbrev= --ignore-rev= --first-parent --reverse --color-lines --color-by-age",
  "git ls-files":
    "-cdmoisuktvzf -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory " +
    "--no-empty-directory --eol --full-name --exclude= --exclude-standard --error-unmatch --abbrev= --deduplicate --format=",
  "git ls-tree":
    "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev= --format=",
  "git cat-file": "-tsep",
  "git merge-base": "-a --all --is-ancestor --octopus --independent --fork-point",
  "git describe":
    "--tags --all --always --long --dirty= --broken= --abbrev= --exact-match --contains --match= --exclude= " +
    "--first-parent --candidates=",
  "git grep": GREP,
  "git remote": "-v --verbose",
  "git worktree list": "-vz --verbose --porcelain",
  "git fetch": `${QUIET} -pt -j: --jobs= --all --prune --tags --dry-run --no-tags`,
  "git pull": `${QUIET} --ff-only --no-tags`,
  "git push": `${QUIET} -n --dry-run --porcelain`,
  "git merge": "-qv --quiet --verbose --ff-only --stat --no-stat",
  "git checkout": "-q --quiet --progress --no-progress",
  "git switch": "-q --quiet --progress --no-progress",
  "git restore": "-q --quiet --progress --no-progress",
};
