/*
 * Git keeps unfinished work in files that a command which works with git must be able to write: a rebase takes many
 * commands. So the content decides, not the file. Each file has the shape that git gives it; another shape makes git
 * run, read or write something else, and is a find.
 */

const OID = "[0-9a-f]{40}(?:[0-9a-f]{24})?";

/*
 * A command writes what these expressions read. So what repeats ends with a character that cannot begin it again: none
 * of them has two ways to read the same text.
 */
export const OIDS = new RegExp(`^(?:${OID}(?:[ \\n]|$))*$`);

const NUMBER = /^\d*\n?$/;

const REF = "(?!-)[^\\s~^:?*[\\\\\\x00-\\x20\\x7f]+";

/** The value of an option, or nothing: most files only exist or do not. */
export const WORD = /^[a-z]{0,12}(?:-[a-z]{1,12}){0,4}\n?$/;

/** Any other is a program `git-merge-…`, looked for by a path that may climb. */
const STRATEGY = "(?:ort|recursive|resolve|octopus|ours|subtree)";

const STRATEGY_OPTION = "[a-z]+(?:-[a-z]+)*(?:=[\\w./%-]*)?";

const KEY = "[\\w@.+<> -]*";

const QUOTED = "'(?:[^']|'\\\\['!]')*'";

const OPTIONS = [
  "(?:no-commit|edit|allow-empty|allow-empty-message|drop-redundant-commits|keep-redundant-commits|signoff|record-origin|allow-ff|allow-rerere-auto) = (?:true|false)",
  "mainline = \\d+",
  `strategy = ${STRATEGY}`,
  `strategy-option = ${STRATEGY_OPTION}`,
  `gpg-sign = "?${KEY}"?`,
  "default-msg-cleanup = [a-z]+",
];

export const SHAPES: Readonly<Record<string, RegExp>> = {
  strategy: new RegExp(`^${STRATEGY}\\n?$`),
  strategy_opts: new RegExp(`^(?:(?:^| )(?:'--${STRATEGY_OPTION}'|--${STRATEGY_OPTION}))*\\n?$`),
  gpg_sign_opt: new RegExp(`^-S${KEY}\\n?$`),
  opts: new RegExp(`^(?:\\[options\\]\\n(?:\\t(?:${OPTIONS.join("|")})\\n)*)*$`),
  "apply-opt":
    /^(?: ?'(?:--whitespace=[a-z-]+|-[Cp]\d+|--ignore-(?:whitespace|space-change)|--reject)')*\n?$/,
  "author-script": new RegExp(`^(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)=${QUOTED}\\n)*$`),
  msgnum: NUMBER,
  end: NUMBER,
  next: NUMBER,
  last: NUMBER,
  "head-name": new RegExp(`^(?:${REF}|detached HEAD)?\\n?$`),
  "refs-to-delete": new RegExp(`^(?:${REF}\\n)*$`),
  "update-refs": new RegExp(`^(?:${REF}\\n${OID}\\n${OID}\\n)*$`),
  "current-fixups": new RegExp(`^(?:(?:fixup|squash)(?: -[cC])? ${OID}(?:\\n|$))*$`),
  bisect_start: new RegExp(`^(?:${REF})?\\n?$`),
  bisect_terms: new RegExp(`^(?:${REF}\\n)*$`),
  bisect_names: new RegExp(`^(?: '--'(?: ${QUOTED})*)?\\n?$`),
  allow_rerere_autoupdate: /^--(?:no-)?rerere-autoupdate\n?$/,
  merge_autostash: OIDS,
  autostash: OIDS,
  onto: OIDS,
  "orig-head": OIDS,
  head: OIDS,
  "stopped-sha": OIDS,
  amend: OIDS,
};

/** What git shows or commits and never executes: messages, patches, and the mails given to `git am`. */
export const TEXT = /^(?:message(?:-squash|-fixup)?|patch|msg(?:-clean)?|info|final-commit|done|\d+)$/;

export const LIST = /^(?:git-rebase-todo(?:\.backup)?|todo)$/;

export const INDEX = /^(?:(?:shared)?index(?:\..*)?|patch-merge-index)$/;
