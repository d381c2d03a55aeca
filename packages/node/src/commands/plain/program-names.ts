/** Letters of the options that take code, by the program. */
export const CODE_LETTERS: readonly (readonly [program: RegExp, letters: RegExp])[] = [
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^-[a-zA-Z]*[ep]/],
  [/^(?:python[\d.]*|pypy[\d.]*)$/, /^-[a-zA-Z]*c/],
  [
    /^(?:perl[\d.]*|ruby[\d.]*|lua[\d.]*|luajit|rscript|osascript|julia|elixir|scala|groovy)$/i,
    /^-[a-zA-Z]*[eE]/,
  ],
  [/^php[\d.]*$/, /^-[a-zA-Z]*[rBRE]/],
  [/^(?:pwsh|powershell)$/i, /^-/],
  [/^(?:deno|tclsh|r)$/i, /^-[a-zA-Z]*e/],
];

export const LONG_OPTIONS = /^--(?:eval|print|command|execute|exec)(?:=|$)/;

export const QUESTIONS = /^(?:-v|-V|-h|--version|--help)$/;

/** Programs that only read what they are fed. */
export const READING: ReadonlySet<string> = new Set(
  "cat tee wc grep egrep fgrep sort head tail tr cut uniq nl tac rev column fold md5sum sha1sum sha256sum base64 jq".split(
    " ",
  ),
);

export const READING_SUBCOMMANDS = /^(?:git (?:commit|tag)|gh (?:pr|issue|release)) /;

/** Builtins that change where or what the rest runs, or that evaluate what they are given. */
export const CHANGING: ReadonlySet<string> = new Set(
  (
    "cd pushd popd eval source . alias unalias set shopt export unset declare typeset local readonly let read mapfile " +
    "readarray getopts trap exec builtin command enable hash history fc bind complete compgen compopt umask jobs wait"
  ).split(" "),
);

/** What a virtual environment of Python adds to the search path is looked up on the disk. */
const ACTIVATION = /^(?!\/|(?:.*\/)?\.\.\/)(?:[\w.@+-]+\/)+bin\/activate$/;

/** What some of these do that changes nothing: where a program is, an end at the first error, the end of others. */
export const UNCHANGING: Readonly<Record<string, RegExp>> = {
  source: ACTIVATION,
  ".": ACTIVATION,
  command: /^-[vV](?: [\w./+-]+)+$/,
  set: /^[-+][eux]*(?:o pipefail)?$/,
  wait: /^(?:\$!|\d+)?$/,
  read: /^(?:-r )?[a-z][a-z0-9]{0,15}(?: [a-z][a-z0-9]{0,15})*$/,
};
