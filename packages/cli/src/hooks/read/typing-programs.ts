/** One program that gets a here-document as its whole input. */
export const IS_DOCUMENT =
  /^\s*(?:bash|sh|zsh|node|python[\d.]*|ruby|perl|php)(?:[ \t]+-{0,2}[\w./=-]*)*[ \t]*<<-?[ \t]*(['"]?)([A-Za-z_]\w*)\1[ \t]*\n(?:(?!\2[ \t]*\n).*\n)*\2\s*$/;

export const SHELL = /^(?:ba|z|da|k|mk|fi|a|c|tc|pw|x?on|elvi|nu)?sh$|^(?:nu|elvish|xonsh|powershell)$/;

export const INTERPRETER =
  /^(?:python|pypy|node|nodejs|bun|deno|ruby|perl|php|lua|luajit|r|julia|scala|groovy|ocaml|guile|racket|sbcl|tclsh|node-repl|tsx|ts-node)[\d.]*$/i;

/** Consoles, editors, pagers, debuggers, terminals and other machines. */
export const ALWAYS: ReadonlySet<string> = new Set(
  (
    "irb pry ghci iex erl jshell groovysh clj utop dc less more most man info vi vim nvim view vimdiff nano pico emacs " +
    "ed ex joe micro hx helix mc ranger nnn tig lazygit gdb lldb ssh telnet ftp sftp lftp mosh screen tmux zellij " +
    "byobu script expect su nix-shell"
  ).split(" "),
);

export const DATABASE = /^(?:psql|mysql|mariadb|mongosh?|redis-cli|sqlite3)$/;

export const GIVEN = /^(?:-[a-zA-Z]*[cefq]|--(?:command|execute|eval|file|query|version|help)(?:=.*)?)$/;

export const QUESTION = /^(?:-v|-V|-h|--version|--help)$/;

/** Subcommands that open a console. */
export const CONSOLE = /^(?:shell|shell_plus|dbshell|console|dbconsole|repl|tinker|ssh|attach|explore|edit)$/;

export const HAS_CONSOLES =
  /^(?:python[\d.]*|php|ruby|rails|bundle|rake|flask|django-admin|poetry|pipenv|uv|deno|bun|npm|pnpm|yarn|nix|heroku|fly|flyctl|vagrant|adb|docker|podman|kubectl|gh|gcloud|mix|sbt|gradle)$/;
