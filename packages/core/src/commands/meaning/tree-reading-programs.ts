/** What these name is changed, and nothing of its content is shown or copied. */
export const SHOWS_NOTHING = new Set("rm rmdir unlink mkdir touch chmod chown chgrp cd".split(" "));

export const QUIET_GIT = new Set("add rm status ls-files check-ignore commit branch tag".split(" "));

/** Programs that read all that is in a folder. */
export const TREE_PROGRAMS = new Set(
  "rg rgrep ag ack xargs cp mv rsync scp tar zip 7z diff parallel".split(" "),
);

/** Programs that search where they are if they are given no path. */
export const SEARCHING = new Set("grep egrep fgrep rg rgrep ag ack".split(" "));

/** Commands of git that show what files hold, and the options that decide about it. */
export const SHOWING_GIT = new Set(
  "grep diff show blame annotate whatchanged format-patch range-diff difftool diff-tree diff-index diff-files cat-file archive bundle".split(
    " ",
  ),
);

export const PATCH =
  /^(?:-p|-u|-U\d*|--patch.*|--cc|-c|-m|-S.*|-G.*|-L.*|--full-diff|--word-diff.*|--color-words.*)$/;

export const ONLY_NAMES =
  /^--(?:stat|shortstat|numstat|dirstat|name-only|name-status|summary|quiet|check)(?:=|$)/;

/** Programs that read trees, in a line that could not be taken apart. */
export const TREES_IN_LINE =
  /(?:^|[\s;&|(`{])(?:rg|rgrep|ag|ack|xargs|parallel)(?=\s|$)|\b[ef]?grep\s(?:[^;&|]*\s)?-[a-zA-Z]*[rR]|\bgit\s[^;&|]*\b(?:grep|diff|show|log|blame)\b|\bfind\s[^;|]*-exec/;
