/** What a command runs besides itself: other args, or a text for a shell. */
type Wrapped =
  | { readonly argv: readonly string[]; readonly text?: undefined }
  | { readonly text: string; readonly argv?: undefined };

/**
 * What a wrapper such as `sudo` or `sh -c` runs, as far as its args say; `undefined` for a command that is not a
 * wrapper. If an option is unknown, both readings of the argument after it are given.
 */
export function wrappedCommands(argv: readonly string[]): readonly Wrapped[] | undefined {
  const name = nameOf(argv);
  if (SHELLS.has(name)) return byShell(argv);
  if (Object.hasOwn(PREFIXES, name)) return byPrefix(argv, PREFIXES[name] ?? NO_OPTIONS);
  const option = TEXT_OPTIONS.get(name);
  if (option !== undefined) return byTextOption(argv, option);
  const join = JOINING[name];
  if (Object.hasOwn(JOINING, name) && join !== undefined) return texts(join(argv.slice(1)));
  return byFind(name, argv);
}

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;
const PLAIN_PROGRAM = /^[\w@:,./][\w@+:,./-]*$/;

/**
 * The command that a wrapper runs with nothing changed but how long it may take and how soon it comes to its turn;
 * `undefined` for any other command, and where an option is not known.
 */
export function transparentlyRun(argv: readonly string[]): readonly string[] | undefined {
  const start = TRANSPARENT[argv[0] ?? ""]?.(argv);
  const inner = start === undefined ? [] : argv.slice(start);
  const isCommand = PLAIN_PROGRAM.test(inner[0] ?? "") && !isAssignment(inner[0] ?? "");
  return isCommand ? inner : undefined;
}

const TRANSPARENT: Readonly<Record<string, ((argv: readonly string[]) => number | undefined) | undefined>> = {
  timeout: (argv) => {
    let at = 1;
    while (/^(?:--foreground|--preserve-status|-v|-k|-s)$/.test(argv[at] ?? "")) {
      const isValued = argv[at] === "-k" || argv[at] === "-s";
      if (isValued && !/^(?:[\d.]+[smhd]?|[A-Z]{3,8}\d?)$/.test(argv[at + 1] ?? "")) return undefined;
      at += isValued ? 2 : 1;
    }
    return DURATION.test(argv[at] ?? "") ? at + 1 : undefined;
  },
  nice: (argv) => {
    if (argv[1] === "-n") return /^\d+$/.test(argv[2] ?? "") ? 3 : undefined;
    return /^-n?\d+$/.test(argv[1] ?? "") ? 2 : 1;
  },
  // Whatever names it is fed: these say which files have something, or how much, and nothing of what is in them.
  xargs: (argv) => {
    const start = argv.findIndex((arg, index) => index > 0 && !/^(?:-0|-r|-0r|-r0)$/.test(arg));
    const [name, option = "", ...rest] = argv.slice(start);
    const isCount = name === "wc" && /^-[clw]+$/.test(option) && rest.length === 0;
    const isList = name === "grep" && /^-[EFinwI]*[lLc][EFinwIlLc]*$/.test(option) && rest.length === 1;
    return isCount || (isList && !rest[0]?.startsWith("-")) ? start : undefined;
  },
};

/** Whether it is a shell that runs what it is fed. */
export function isFedShell(argv: readonly string[]): boolean {
  return SHELLS.has(nameOf(argv)) && (argv[1] === undefined || /^[-+]/.test(argv[1]));
}

function nameOf(argv: readonly string[]): string {
  const name = argv[0] ?? "";
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase();
}

const SHELLS: ReadonlySet<string> = new Set("sh bash zsh dash ash ksh mksh fish".split(" "));

/** A shell with a script to read is a command like any other; otherwise it runs its argument or its input. */
function byShell(argv: readonly string[]): readonly Wrapped[] | undefined {
  if (argv[1] !== undefined && !/^[-+]/.test(argv[1])) return undefined;
  const at = argv.findIndex((arg) => /^-[A-Za-z]*c/.test(arg));
  return at < 0 ? [] : texts(argv.slice(at + 1).find((arg) => !/^[-+]/.test(arg)));
}

function texts(text: string | undefined): readonly Wrapped[] {
  return text === undefined || text === "" ? [] : [{ text }];
}

/** How to find the command in the args of a wrapper. */
interface Prefix {
  /** Options whose value is the next argument. */
  readonly valued: ReadonlySet<string>;
  /** Options that take none. */
  readonly flags: RegExp;
  /** How many args are between the options and the command. */
  readonly operands: number;
  /** The option whose value is a whole command as one text. */
  readonly text?: string;
}

function prefix(valued: string, flags: RegExp = /^$/, operands = 0, text?: string): Prefix {
  const known = { valued: new Set(valued.split(" ")), flags, operands };
  return text === undefined ? known : { ...known, text };
}

const NO_OPTIONS = prefix("");

const PREFIXES: Readonly<Record<string, Prefix>> = {
  env: prefix("-u --unset -C --chdir -a --argv0", /^-[iv0]+$|^--(?:ignore-environment|null|debug)$/, 0, "-S"),
  sudo: prefix(
    "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --host --chdir --chroot",
    /^-[AbEHikKlnPsSvVB]+$/,
  ),
  doas: prefix("-u -C", /^-[Lns]+$/),
  pkexec: prefix("--user"),
  xargs: prefix(
    "-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs --replace",
    /^-[0prtx]+$|^-[ILnPsdEi].+$/,
  ),
  parallel: prefix("-j -a -I -n -N --jobs --arg-file", /^-[0kmX]+$|^-[jnN]\d+$/),
  nice: prefix("-n --adjustment", /^-\d+$|^-n-?\d+$/),
  ionice: prefix("-c -n -p --class --classdata", /^-[cn]\d$|^-t$/),
  chrt: prefix("-T -P -D", /^-[abfior]+$/, 1),
  taskset: prefix("", /^-[ac]+$/, 1),
  timeout: prefix("-k -s --kill-after --signal", /^-[vfp]+$|^--(?:foreground|preserve-status|verbose)$/, 1),
  nohup: NO_OPTIONS,
  setsid: prefix("", /^-[cfw]+$/),
  stdbuf: prefix("-i -o -e --input --output --error", /^-[ioe].+$/),
  time: prefix("-f -o --format --output", /^-[apvlq]+$/),
  command: prefix("", /^-p$/),
  builtin: NO_OPTIONS,
  exec: prefix("-a", /^-[cl]+$/),
  chroot: prefix("", /^--(?:userspec|groups)=/, 1),
  flock: prefix("-w -E --timeout", /^-[nsuxeo]+$/, 1, "-c"),
  strace: prefix("-e -o -p -s -u -E -P -a -b -I -O -S -X", /^-[cCdfFhiqrtTvVxyzZ]+$/),
  ltrace: prefix("-e -o -p -s -u -a -n -l", /^-[cCfhiLrStTV]+$/),
  unshare: prefix("-S -G -R -w", /^-[muinpUCTrfc]+$/),
  busybox: NO_OPTIONS,
  toybox: NO_OPTIONS,
  caffeinate: prefix("-t -w", /^-[dimsu]+$/),
};

/** Looking a command up is not running it. */
const LOOKUP = /^-[pvV]*[vV]/;

function byPrefix(argv: readonly string[], known: Prefix): readonly Wrapped[] | undefined {
  if (nameOf(argv) === "command" && LOOKUP.test(argv[1] ?? "")) return undefined;
  const found = new Map<number, Wrapped>();
  for (const unknownTakeValues of [false, true]) {
    const start = skipOptions(argv, known, unknownTakeValues);
    if (typeof start === "string") return texts(start);
    if (start < argv.length) found.set(start, { argv: argv.slice(start) });
  }
  return [...found.values()];
}

/** Where the command begins, or the text that it is. */
function skipOptions(argv: readonly string[], known: Prefix, unknownTakeValues: boolean): number | string {
  let at = 1;
  while (at < argv.length) {
    const arg = argv[at] ?? "";
    if (known.text !== undefined && arg.startsWith(known.text))
      return arg.slice(known.text.length) || argv.slice(at + 1).join(" ");
    if (arg.startsWith("--split-string=")) return arg.slice("--split-string=".length);
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!arg.startsWith("-") && !isAssignment(arg)) break;
    const isUnknown = arg.startsWith("-") && !known.flags.test(arg) && !arg.includes("=");
    at += known.valued.has(arg) || (isUnknown && unknownTakeValues) ? 2 : 1;
  }
  at += known.operands;
  if (known.text !== undefined && argv[at] === known.text) return argv.slice(at + 1).join(" ");
  while (isAssignment(argv[at] ?? "")) at += 1;
  return at;
}

function isAssignment(arg: string): boolean {
  return /^[A-Za-z_]\w*=/.test(arg);
}

/** Commands that run one text when they are given this option. */
const TEXT_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["su", /^(?:-[a-z]*c|--command)$/],
  ["runuser", /^(?:-[a-z]*c|--command)$/],
  ["script", /^(?:-[a-z]*c|--command)$/],
  ["npx", /^(?:-c|--call)$/],
]);

function byTextOption(argv: readonly string[], option: RegExp): readonly Wrapped[] | undefined {
  const at = argv.findIndex((arg, index) => index > 0 && option.test(arg));
  return at < 0 ? undefined : texts(argv[at + 1]);
}

const WATCH = prefix("-n --interval", /^-[bcdegptwx]+$/);

/** Commands whose args together are a text for a shell. */
const JOINING: Readonly<Record<string, (args: readonly string[]) => string | undefined>> = {
  eval: (args) => args.join(" "),
  watch: (args) => {
    const start = skipOptions(["watch", ...args], WATCH, false);
    return typeof start === "string" ? start : args.slice(start - 1).join(" ");
  },
  trap: (args) => args.find((arg) => !arg.startsWith("-")),
};

const FINDERS: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir)$/,
  fd: /^(?:-x|-X|--exec|--exec-batch)$/,
  fdfind: /^(?:-x|-X|--exec|--exec-batch)$/,
};

/** Every command between `-exec` and the `;` or `+` after it. */
function byFind(name: string, argv: readonly string[]): readonly Wrapped[] | undefined {
  const option = Object.hasOwn(FINDERS, name) ? FINDERS[name] : undefined;
  if (option === undefined || !argv.some((arg) => option.test(arg))) return undefined;
  const found: Wrapped[] = [];
  let at = 0;
  while (at < argv.length) {
    const isStart = option.test(argv[at] ?? "");
    at += 1;
    if (!isStart) continue;
    const start = at;
    while (at < argv.length && argv[at] !== ";" && argv[at] !== "+") at += 1;
    if (at > start) found.push({ argv: argv.slice(start, at) });
  }
  return found;
}
