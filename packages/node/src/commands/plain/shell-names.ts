/** Which keywords may end the list of commands after a keyword. */
export const AFTER: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then"]],
  ["elif", ["then"]],
  ["then", ["elif", "else", "fi"]],
  ["else", ["fi"]],
  ["while", ["do"]],
  ["until", ["do"]],
  ["do", ["done"]],
]);

/** Names that are commands or keywords of zsh, fish, ksh, mksh or dash, and something else to bash, or nothing. */
export const NAMES_OF_ONE_SHELL: ReadonlySet<string> = new Set(
  // zsh
  (
    "- autoload bindkey bye chdir compadd comparguments compcall compctl compdescribe compfiles compgroups compquote compset " +
    "comptags comptry compvalues disable echotc echoti emulate end float foreach functions getln integer limit log nocorrect " +
    "noglob print private pushln r rehash repeat sched setopt ttyctl unfunction unhash unlimit unsetopt vared whence where " +
    "zcompile zformat zle zmodload zparseopts zregexparse zstyle " +
    // fish
    "_ N_ abbr and argparse begin block breakpoint cdh commandline contains count dirh edit_command_buffer emit funced " +
    "funcsave help isatty la ll math nextd not or path prevd psub random set_color setenv status string switch " +
    // ksh, mksh, dash
    "compound enum global hist login nameref redirect rename stop"
  ).split(" "),
);

/** Parameters of zsh in small letters: a loop over `path` changes the search path. */
export const ZSH_PARAMETERS: ReadonlySet<string> = new Set(
  (
    "aliases argv builtins cdpath commands dirstack fignore fpath funcfiletrace funcsourcetrace funcstack functions functrace " +
    "galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath manpath modules nameddirs options " +
    "parameters patchars path pipestatus prompt psvar reswords saliases signals status termcap terminfo userdirs usergroups " +
    "watch widgets"
  ).split(" "),
);

/** Builtins whose operands one of the shells evaluates as arithmetic, which reads variables and can run commands. */
export const EVALUATING: ReadonlySet<string> = new Set(
  "exit return break continue shift logout suspend times sleep".split(" "),
);

/** Builtins that are given options, numbers, jobs and signals. */
export const COUNTING: ReadonlySet<string> = new Set("kill wait fg bg jobs disown ulimit dirs".split(" "));
