import type { SimpleCommand } from "@toolkeep/core/ports";
import type { ParseBash } from "../bash/tree-sitter-bash.ts";
import { isBareWords } from "./bare-words.ts";
import { whyShellsDiffer } from "./every-shell.ts";
import { isHarmlessAssignment } from "./harmless-assignments.ts";
import { type PlainCommand, type PlainLine, printedIn } from "./plain-line.ts";
import type { PlainRedirect } from "./plain-redirect.ts";
import {
  CHANGING,
  CODE_LETTERS,
  LONG_OPTIONS,
  QUESTIONS,
  READING,
  READING_SUBCOMMANDS,
  UNCHANGING,
} from "./program-names.ts";
import { readPlain, SETS_VARIABLES } from "./read-plain.ts";
import { fileOf, resolveCommand } from "./resolve-words.ts";
import { secondOpinion } from "./second-opinion.ts";
import { transparentlyRun } from "./wrapped-commands.ts";

/** What the first parser found in a line. */
interface SeenCommands {
  readonly commands: readonly SimpleCommand[];
  /** One of them runs other commands that its args name. */
  readonly hasWrapper: boolean;
}

interface PlainOptions {
  readonly home: string;
  /** The folder that the agent works in: to go there is to stay. */
  readonly folder?: string;
  /** The shell that runs the line, if that is certain. */
  readonly shell?: "bash";
  /** Brings the second parser. */
  readonly load: () => Promise<ParseBash>;
}

/** The commands of a plain line with their args as programs get them, or why the line is not plain. */
type PlainCommands =
  | { readonly commands: readonly SimpleCommand[] }
  | { readonly commands?: undefined; readonly reason: string };

const MOST_PLAIN_COMMANDS = 32;
const AMBIGUOUS = "it can be read in more than one way";

interface Fed {
  readonly isPiped: boolean;
  readonly redirects: readonly PlainRedirect[];
}

/**
 * Our own strict reader comes first, because it refuses most; the second parser comes last, so that it gets only short
 * and simple lines. It takes long to load, and nothing but bare words needs no third reading.
 */
export async function plainCommands(
  line: string,
  seen: SeenCommands,
  options: PlainOptions,
): Promise<PlainCommands> {
  const reading = readPlain(line, options.home);
  if (reading.commands === undefined) return reading;
  const resolved = resolveLine(reading, options);
  if (typeof resolved === "string") return { reason: resolved };
  const reason =
    whyUnsafe(reading, resolved, seen, options) ??
    (options.shell === "bash" ? undefined : whyShellsDiffer(reading, resolved));
  if (reason !== undefined) return { reason };
  if (!isSeen(reading, seen.commands)) return { reason: AMBIGUOUS };
  if (isBareWords(line)) return { commands: resolved };
  const opinion = await secondOpinion(line, options);
  if (opinion.shape === undefined) return opinion;
  return isSameList(reading.shape, opinion.shape) ? { commands: resolved } : { reason: AMBIGUOUS };
}

/** Every command in the order of the first parser, each followed by what it runs. */
function resolveLine({ commands }: PlainLine, { home }: PlainOptions): readonly SimpleCommand[] | string {
  const resolved: SimpleCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const bad = command.assignments.find((word) => !isHarmlessAssignment(word.raw));
    if (bad !== undefined) return SETS_VARIABLES;
    const rounds = resolveCommand(command, home);
    if (typeof rounds === "string") return rounds;
    if (command.loops.length > 0 && command.words[0]?.raw === "cd")
      return "`cd` in a loop leads somewhere else each time";
    for (const round of rounds) {
      const reason = whyFed(round, command);
      if (reason !== undefined) return reason;
      if (round.argv.length > 0 || round.redirects.length > 0) resolved.push(round, ...innerOf(round.argv));
      resolved.push(...printersOf(command));
    }
    if (command.words[0]?.raw !== "xargs") continue;
    const read = readByNames(commands[index - 1], command);
    if (read === undefined) return "one of its commands runs what it is given";
    resolved.push(read);
  }
  return resolved;
}

/** `git ls-files … | xargs …`: what git tracks is read, which is what `git grep` does. */
function readByNames(
  source: PlainCommand | undefined,
  { isPiped, loops }: PlainCommand,
): SimpleCommand | undefined {
  const [program, subcommand, ...rest] = (source?.words ?? []).map(({ raw }) => raw);
  const isListing = program === "git" && subcommand === "ls-files" && source?.redirects.length === 0;
  const isPlain =
    source?.words.every(({ parts }) => parts.every((part) => typeof part === "string")) === true;
  if (!isListing || !isPlain || !isPiped || source?.isPiped || loops.length > 0) return undefined;
  if (rest.some((arg) => arg.startsWith("-") && !/^(?:-z|-m|-c|--modified|--cached|--)$/.test(arg)))
    return undefined;
  const paths = rest.filter((arg) => !arg.startsWith("-"));
  const argv = ["git", "grep", "-l", "-e", "", ...(paths.length === 0 ? [] : ["--", ...paths])];
  return Object.freeze({ argv: Object.freeze(argv), redirects: Object.freeze([]) });
}

function whyFed({ argv }: SimpleCommand, command: PlainCommand): string | undefined {
  for (const inner of [argv, ...innerOf(argv).map((one) => one.argv)])
    if (isGivenCode({ argv: inner }, command)) return "it runs code that is given to an interpreter";
  const isFed = command.redirects.some(({ body }) => body !== undefined);
  return isFed && !readsDocument(argv) ? "a here-document is fed to a program that may run it" : undefined;
}

/** What `timeout` and the like run. */
function innerOf(argv: readonly string[]): readonly SimpleCommand[] {
  const inner = transparentlyRun(argv);
  return inner === undefined
    ? []
    : [Object.freeze({ argv: Object.freeze(inner), redirects: [] }), ...innerOf(inner)];
}

const PRINTER: SimpleCommand = Object.freeze({ argv: Object.freeze(["cat"]), redirects: Object.freeze([]) });

/** `$(cat <<'EOF' …)` in an arg. */
function printersOf({ words }: PlainCommand): readonly SimpleCommand[] {
  return words.flatMap(printedIn).map(() => PRINTER);
}

function whyUnsafe(
  reading: PlainLine,
  commands: readonly SimpleCommand[],
  seen: SeenCommands,
  options: PlainOptions,
): string | undefined {
  if (commands.length === 0) return "there is no command in it";
  if (seen.hasWrapper) return "one of its commands runs what it is given";
  if (commands.length > MOST_PLAIN_COMMANDS) return `it has more than ${MOST_PLAIN_COMMANDS} commands`;
  const changing = commands.find(({ argv }) => changesShell(argv));
  if (changing !== undefined)
    return `after \`${changing.argv[0]}\`, the same words may start other programs or name other files`;
  return movesUnclearly(reading, commands, options.folder)
    ? "`cd` may not be where the commands after it run"
    : undefined;
}

function changesShell(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  if (name === "cd" && args.length !== 1) return true;
  const unchanging = Object.hasOwn(UNCHANGING, name) ? UNCHANGING[name] : undefined;
  if (CHANGING.has(name)) return unchanging?.test(args.join(" ")) !== true;
  return (name === "printf" || name === "test" || name === "[") && args.some((arg) => /^-[vR]/.test(arg));
}

/**
 * Where commands run is clear only if the line begins with the one way there: any other may not be taken, or by a part of
 * the line alone. Git would run what the configuration of another folder says.
 */
function movesUnclearly(
  { commands: [first], shape }: PlainLine,
  commands: readonly SimpleCommand[],
  folder: string | undefined,
): boolean {
  const moves = commands.filter(({ argv: [name] }) => name === "cd").map(({ argv }) => argv[1] ?? "");
  const [to, ...more] = moves;
  if (to === undefined) return false;
  const isFirst = first?.words[0]?.raw === "cd" && !first.isInner && shape[0]?.startsWith("[") === true;
  if (!isFirst || more.length > 0 || /^[|&]$|^\|\|$/.test(shape[1] ?? "")) return true;
  const isAway = withoutSlash(to) !== folder;
  return isAway && commands.some(({ argv: [name = ""] }) => /(?:^|\/)git$/i.test(name));
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=[^/])\/+$/, "");
}

/** Whether the first parser has the same commands, with what a shell puts in later as it is written. */
function isSeen({ commands }: PlainLine, seen: readonly SimpleCommand[]): boolean {
  const own = commands.flatMap((command) => {
    const argv = command.words.map(({ raw }) => raw);
    const redirects = command.redirects.flatMap(fileOf);
    const itself = argv.length === 0 && redirects.length === 0 ? [] : [{ argv, redirects }];
    return [...itself, ...innerOf(argv), ...printersOf(command)];
  });
  return own.length === seen.length && own.every((one, index) => isSame(one, seen[index]));
}

function isSame(one: SimpleCommand, other: SimpleCommand | undefined): boolean {
  return (
    other !== undefined &&
    isSameList(one.argv, other.argv) &&
    isSameList(one.redirects.map(fileText), other.redirects.map(fileText))
  );
}

function fileText({ access, path }: SimpleCommand["redirects"][number]): string {
  return `${access} ${path}`;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Whether an interpreter gets its program on the command line or from its input: that is no command that words tell. */
function isGivenCode({ argv }: Pick<SimpleCommand, "argv">, { isPiped, redirects }: Fed): boolean {
  const [name = "", ...args] = argv;
  const program = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const letters = CODE_LETTERS.find(([names]) => names.test(program))?.[1];
  if (letters === undefined) return false;
  const script = args.findIndex((arg) => !arg.startsWith("-") || arg === "-");
  const options = script === -1 ? args : args.slice(0, script);
  if (options.some((arg) => (arg.startsWith("--") ? LONG_OPTIONS.test(arg) : letters.test(arg)))) return true;
  if (args[script] === "-" || (program === "deno" && args[script] === "eval")) return true;
  const isFed = isPiped || redirects.some(({ operator }) => operator.startsWith("<"));
  if (script !== -1 || options.some((arg) => /^-m./.test(arg))) return false;
  return args.length === 0 || (isFed && !args.some((arg) => QUESTIONS.test(arg)));
}

/** Whether what is written in the line and fed to this command is only read. */
function readsDocument(argv: readonly string[]): boolean {
  return READING.has(argv[0] ?? "") || READING_SUBCOMMANDS.test(`${argv.slice(0, 2).join(" ")} `);
}
