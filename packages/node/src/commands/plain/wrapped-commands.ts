import { isPureFilter, systemName } from "@toolkeep/core/internal";
import { isHarmlessAssignment } from "./harmless-assignments.ts";
import { LOOKING_AT_FILES, READING_FILES, SHOWING } from "./listing-forms.ts";
import { CHANGING } from "./program-names.ts";
import {
  FEEDING,
  FINDERS,
  LOOKUP,
  NO_OPTIONS,
  PLAIN_PROGRAM,
  PREFIXES,
  type Prefix,
  SHELLS,
  TEXT_OPTIONS,
  WATCH,
} from "./wrappers.ts";

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

/** Options that end a shell at the first error, or show what it does. */
const SHELL_OPTIONS = /^(?:-[eux]+ |-[eux]*o pipefail )*-[eulx]*c$/;

/** The text that a shell runs, where it is given nothing else that matters. */
export function shellText(
  argv: readonly string[],
): { readonly text: string; readonly isBash: boolean } | undefined {
  const name = systemName(argv[0] ?? "");
  const text = argv.at(-1);
  const isText = SHELLS.has(name) && SHELL_OPTIONS.test(argv.slice(1, -1).join(" "));
  return isText && text !== undefined && text !== "" ? { text, isBash: name === "bash" } : undefined;
}

/**
 * The command that a wrapper runs with nothing changed but how long it may take, how soon it comes to its turn and what
 * it says; `undefined` for any other command, and where an option is not known.
 */
export function transparentlyRun(argv: readonly string[]): readonly string[] | undefined {
  const name = systemName(argv[0] ?? "");
  const known = TRANSPARENT.get(name);
  const start = known === undefined ? undefined : commandAt(argv, known);
  const given = start === undefined ? [] : argv.slice(start);
  const inner = name === "env" ? given.slice(given.findIndex((arg) => !isHarmlessAssignment(arg))) : given;
  const [program = ""] = inner;
  const isCommand = PLAIN_PROGRAM.test(program) && !isAssignment(program) && !CHANGING.has(program);
  return isCommand && (name !== "xargs" || takesNames(inner)) ? inner : undefined;
}

/** Whether it only shows the names that it is given, or looks at the files or reads them. */
function takesNames(argv: readonly string[]): boolean {
  const program = systemName(argv[0] ?? "");
  const isLooking = SHOWING.has(program) || LOOKING_AT_FILES.has(program);
  return isLooking || (READING_FILES.has(program) && isPureFilter(argv));
}

/** The command that is left without all such wrappers. */
export function unwrapped(argv: readonly string[]): readonly string[] {
  const inner = transparentlyRun(argv);
  return inner === undefined ? argv : unwrapped(inner);
}

/** Options of the first change nothing; those of the others change where and what they run. */
const TRANSPARENT: ReadonlyMap<string, Prefix> = new Map([
  ...["timeout", "nice", "stdbuf"].map((name) => [name, PREFIXES[name] ?? NO_OPTIONS] as const),
  ...["nohup", "command", "exec", "env"].map((name) => [name, NO_OPTIONS] as const),
  ["xargs", FEEDING],
]);

/** Where the command begins; `undefined` where an option is not known. */
function commandAt(argv: readonly string[], { valued, flags, operands = 0 }: Prefix): number | undefined {
  const names = valued?.split(" ") ?? [];
  let at = 1;
  for (let arg = argv[at]; arg?.startsWith("-"); arg = argv[at]) {
    const isWhole = flags?.test(arg) === true || names.includes(/^(--.+)=/.exec(arg)?.[1] ?? "");
    if (!isWhole && !names.includes(arg)) return undefined;
    at += isWhole ? 1 : 2;
  }
  return at + operands;
}

/** Whether it is a shell that runs what it is fed. */
export function isFedShell(argv: readonly string[]): boolean {
  return SHELLS.has(nameOf(argv)) && (argv[1] === undefined || /^[-+]/.test(argv[1]));
}

function nameOf(argv: readonly string[]): string {
  const name = argv[0] ?? "";
  return name.slice(name.lastIndexOf("/") + 1).toLowerCase();
}

/** A shell with a script to read is a command like any other; otherwise it runs its argument or its input. */
function byShell(argv: readonly string[]): readonly Wrapped[] | undefined {
  if (argv[1] !== undefined && !/^[-+]/.test(argv[1])) return undefined;
  const at = argv.findIndex((arg) => /^-[A-Za-z]*c/.test(arg));
  return at < 0 ? [] : texts(argv.slice(at + 1).find((arg) => !/^[-+]/.test(arg)));
}

function texts(text: string | undefined): readonly Wrapped[] {
  return text === undefined || text === "" ? [] : [{ text }];
}

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
  const valued = known.valued?.split(" ") ?? [];
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
    const isUnknown = arg.startsWith("-") && known.flags?.test(arg) !== true && !arg.includes("=");
    at += valued.includes(arg) || (isUnknown && unknownTakeValues) ? 2 : 1;
  }
  at += known.operands ?? 0;
  if (known.text !== undefined && argv[at] === known.text) return argv.slice(at + 1).join(" ");
  while (isAssignment(argv[at] ?? "")) at += 1;
  return at;
}

function isAssignment(arg: string): boolean {
  return /^[A-Za-z_]\w*=/.test(arg);
}

function byTextOption(argv: readonly string[], option: RegExp): readonly Wrapped[] | undefined {
  const at = argv.findIndex((arg, index) => index > 0 && option.test(arg));
  return at < 0 ? undefined : texts(argv[at + 1]);
}

/** Commands whose args together are a text for a shell. */
const JOINING: Readonly<Record<string, (args: readonly string[]) => string | undefined>> = {
  eval: (args) => args.join(" "),
  watch: (args) => {
    const start = skipOptions(["watch", ...args], WATCH, false);
    return typeof start === "string" ? start : args.slice(start - 1).join(" ");
  },
  trap: (args) => args.find((arg) => !arg.startsWith("-")),
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

/** Why a line is not plain in which one command runs others in its own way. */
export function whyWrapped(argv: readonly string[] = []): string {
  const name = systemName(argv[0] ?? "");
  const [inner] = wrappedCommands(argv) ?? [];
  if (inner?.argv?.[0] === undefined) return `\`${name}\` runs what it is given`;
  const run = `\`${inner.argv[0]}\``;
  return name === "find" || name === "xargs"
    ? `\`${name}\` runs ${run} on names that are known only when it runs`
    : `\`${name}\` runs ${run} in another way than the shell does`;
}
