export const PLAIN_PROGRAM = /^[\w@:,./][\w@+:,./-]*$/;

export const SHELLS: ReadonlySet<string> = new Set("sh bash zsh dash ash ksh mksh fish".split(" "));

/** How to find the command in the args of a wrapper. */
export interface Prefix {
  /** Options whose value is the next argument. */
  readonly valued?: string;
  /** Options that take none. */
  readonly flags?: RegExp;
  /** How many args are between the options and the command. */
  readonly operands?: number;
  /** The option whose value is a whole command as one text. */
  readonly text?: string;
}

export const NO_OPTIONS: Prefix = {};

export const PREFIXES: Readonly<Record<string, Prefix>> = {
  env: {
    valued: "-u --unset -C --chdir -a --argv0",
    flags: /^-[iv0]+$|^--(?:ignore-environment|null|debug)$/,
    text: "-S",
  },
  sudo: {
    valued: "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --host --chdir --chroot",
    flags: /^-[AbEHikKlnPsSvVB]+$/,
  },
  doas: { valued: "-u -C", flags: /^-[Lns]+$/ },
  pkexec: { valued: "--user" },
  xargs: {
    valued: "-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs --replace",
    flags: /^-[0prtx]+$|^-[ILnPsdEi].+$/,
  },
  parallel: { valued: "-j -a -I -n -N --jobs --arg-file", flags: /^-[0kmX]+$|^-[jnN]\d+$/ },
  nice: { valued: "-n --adjustment", flags: /^-\d+$|^-n-?\d+$/ },
  ionice: { valued: "-c -n -p --class --classdata", flags: /^-[cn]\d$|^-t$/ },
  chrt: { valued: "-T -P -D", flags: /^-[abfior]+$/, operands: 1 },
  taskset: { flags: /^-[ac]+$/, operands: 1 },
  timeout: {
    valued: "-k -s --kill-after --signal",
    flags: /^-[vfp]+$|^--(?:foreground|preserve-status|verbose)$/,
    operands: 1,
  },
  nohup: NO_OPTIONS,
  setsid: { flags: /^-[cfw]+$/ },
  stdbuf: { valued: "-i -o -e --input --output --error", flags: /^-[ioe].+$/ },
  time: { valued: "-f -o --format --output", flags: /^-[apvlq]+$/ },
  command: { flags: /^-p$/ },
  builtin: NO_OPTIONS,
  exec: { valued: "-a", flags: /^-[cl]+$/ },
  chroot: { flags: /^--(?:userspec|groups)=/, operands: 1 },
  flock: { valued: "-w -E --timeout", flags: /^-[nsuxeo]+$/, operands: 1, text: "-c" },
  strace: { valued: "-e -o -p -s -u -E -P -a -b -I -O -S -X", flags: /^-[cCdfFhiqrtTvVxyzZ]+$/ },
  ltrace: { valued: "-e -o -p -s -u -a -n -l", flags: /^-[cCfhiLrStTV]+$/ },
  unshare: { valued: "-S -G -R -w", flags: /^-[muinpUCTrfc]+$/ },
  busybox: NO_OPTIONS,
  toybox: NO_OPTIONS,
  caffeinate: { valued: "-t -w", flags: /^-[dimsu]+$/ },
};

/** Options of `xargs` that leave the command as it is, and take names from nowhere else. */
export const FEEDING: Prefix = {
  valued: "-n -P -L --max-args --max-procs --max-lines",
  flags: /^-(?:[0rtx]+|[nPL]\d+)$|^--(?:null|no-run-if-empty|verbose)$/,
};

/** Looking a command up is not running it. */
export const LOOKUP = /^-[pvV]*[vV]/;

/** Commands that run one text when they are given this option. */
export const TEXT_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["su", /^(?:-[a-z]*c|--command)$/],
  ["runuser", /^(?:-[a-z]*c|--command)$/],
  ["script", /^(?:-[a-z]*c|--command)$/],
  ["npx", /^(?:-c|--call)$/],
]);

export const WATCH: Prefix = { valued: "-n --interval", flags: /^-[bcdegptwx]+$/ };

export const FINDERS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir)$/,
  fd: /^(?:-x|-X|--exec|--exec-batch)$/,
  fdfind: /^(?:-x|-X|--exec|--exec-batch)$/,
};
