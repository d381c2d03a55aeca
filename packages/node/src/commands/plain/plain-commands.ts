import { join, resolve } from "node:path";
import { dialectOf } from "@toolkeep/catalog";
import { isWithin, systemName } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import type { ParseBash } from "../bash/tree-sitter-bash.ts";
import { isBareWords } from "./bare-words.ts";
import { whySet } from "./command-name.ts";
import { whyShellsDiffer } from "./every-shell.ts";
import { readByNames } from "./fed-names.ts";
import { isHarmlessAssignment } from "./harmless-assignments.ts";
import { withLeadingPatterns } from "./leading-patterns.ts";
import { SHOWING } from "./listing-forms.ts";
import type { PlainCommand, PlainLine } from "./plain-line.ts";
import type { PlainWord } from "./plain-word.ts";
import {
  CHANGING,
  CODE_LETTERS,
  LONG_OPTIONS,
  QUESTIONS,
  READING,
  READING_SUBCOMMANDS,
  UNCHANGING,
} from "./program-names.ts";
import { readPlain } from "./read-plain.ts";
import { expandsOfLast, fileOf, printersOf, resolveCommand, simpleCommand } from "./resolve-words.ts";
import { secondOpinion } from "./second-opinion.ts";
import { shellText, transparentlyRun, unwrapped, whyWrapped } from "./wrapped-commands.ts";

/** What the first parser found in a line. */
interface SeenCommands {
  readonly commands: readonly SimpleCommand[];
  /** The args of one that runs other commands in its own way. */
  readonly wrapper?: readonly string[] | undefined;
}

interface PlainOptions {
  readonly home: string;
  /** The folder that the agent works in. */
  readonly folder?: string;
  /** The folder in which the line begins, if it is another one. */
  readonly start?: string | undefined;
  /** The shell that runs the line, if that is certain. */
  readonly shell?: "bash";
  /** Brings the second parser. */
  readonly load: () => Promise<ParseBash>;
  /** What the first parser finds in a text that a shell is given. */
  readonly see: (text: string) => SeenCommands;
  /** The line is fed to by a pipe or a file. */
  readonly isFed?: boolean;
}

/** A command, and the text that it is fed if it is a client of a database. */
export interface FedCommand extends SimpleCommand {
  readonly fed?: string;
}

/** The commands of a plain line with their args as programs get them, or why the line is not plain. */
type PlainCommands =
  | { readonly commands: readonly FedCommand[] }
  | { readonly commands?: undefined; readonly reason: string };

const MOST_PLAIN_COMMANDS = 32;
const TOO_MANY = `it has more than ${MOST_PLAIN_COMMANDS} commands`;
const AMBIGUOUS = "it can be read in more than one way";

/**
 * Our own strict reader comes first, because it refuses most; the second parser comes last, so that it gets only short
 * and simple lines. It takes long to load, and nothing but bare words needs no third reading.
 */
export async function plainCommands(
  line: string,
  seen: SeenCommands,
  options: PlainOptions,
): Promise<PlainCommands> {
  const reading = readPlain(line, options);
  if (reading.commands === undefined) return reading;
  const words = resolveLine(reading, options);
  const resolved =
    typeof words === "string" ? words : withLeadingPatterns(words, options.start ?? options.folder);
  if (typeof resolved === "string") return { reason: resolved };
  const reason =
    whyUnsafe(resolved, seen, options) ??
    (options.shell === "bash" ? undefined : whyShellsDiffer(reading, resolved));
  if (reason !== undefined) return { reason };
  if (!isSeen(reading, seen.commands, options)) return { reason: AMBIGUOUS };
  if (!isBareWords(line)) {
    const opinion = await secondOpinion(line, options);
    if (opinion.shape === undefined) return opinion;
    if (!isSameList(reading.shape, opinion.shape)) return { reason: AMBIGUOUS };
  }
  return withTexts(resolved, reading, options);
}

/** Each shell that is given a text is followed by what that runs. */
async function withTexts(
  resolved: readonly SimpleCommand[],
  { commands }: PlainLine,
  options: PlainOptions,
): Promise<PlainCommands> {
  const isMoving = commands.some(({ words: [name] }) => name?.raw === "cd");
  const all: SimpleCommand[] = [];
  for (const command of resolved) {
    all.push(isMoving ? command : withoutFolder(command));
    const given = shellText(command.argv);
    if (given === undefined) continue;
    const isFed = commands.some(
      ({ isPiped, redirects }) => isPiped || redirects.some(({ operator }) => operator.startsWith("<")),
    );
    const { shell, start = options.folder, ...rest } = options;
    const inner = await plainCommands(given.text, options.see(given.text), {
      ...rest,
      start: start && resolve(start, command.folder ?? ""),
      ...(given.isBash && shell !== undefined ? { shell } : {}),
      isFed: options.isFed === true || isFed,
    });
    if (inner.commands === undefined) return inner;
    all.push(...inner.commands.map((one) => inFolder(one, isMoving ? command.folder : undefined)));
  }
  if (all.length > MOST_PLAIN_COMMANDS) return { reason: TOO_MANY };
  return { commands: all };
}

function withoutFolder({ folder, ...command }: SimpleCommand): SimpleCommand {
  return Object.freeze(command);
}

/** Its way begins where the shell does that runs it. */
function inFolder(command: SimpleCommand, outer: string | undefined): SimpleCommand {
  if (outer === undefined) return command;
  const { folder = "" } = command;
  return Object.freeze({ ...command, folder: folder.startsWith("/") ? folder : join(outer, folder) });
}

/** Every command in the order of the first parser, each followed by what it runs. */
function resolveLine({ commands }: PlainLine, { home }: PlainOptions): readonly FedCommand[] | string {
  const resolved: FedCommand[] = [];
  for (const command of commands) {
    const isRead = command.words[0]?.raw === "read";
    const isHarmless = ({ raw }: PlainWord) => isHarmlessAssignment(raw) || (isRead && SEPARATOR.test(raw));
    const set = command.assignments.filter((word) => !isHarmless(word));
    if (set.length > 0) return whySet(...set.map(({ raw }) => raw));
    const rounds = resolveCommand(command, home);
    if (typeof rounds === "string") return rounds;
    for (const round of rounds) {
      const reason = whyFed(round, command) ?? whyText(round, command);
      if (reason !== undefined) return reason;
      const layers = layersOf(round);
      const feeding = layers.find(({ argv: [name = ""] }) => /(?:^|\/)xargs$/.test(name));
      const isFed = feeding !== undefined;
      const isShown = SHOWING.has(systemName(layers.at(-1)?.argv[0] ?? ""));
      const read = isFed && !isShown ? readByNames(command) : [];
      if (read === undefined) return whyWrapped(feeding?.argv);
      const client = isFed ? undefined : layers.at(-1);
      for (const one of [...layers, ...printersOf(command), ...read])
        resolved.push(
          Object.freeze({
            ...one,
            ...(one === client ? fedTo(client, command) : {}),
            folder: round.folder ?? "",
          }),
        );
    }
  }
  return resolved;
}

/** The text that a client of a database gets where the line has it: in a here-document, or printed by `echo`. */
function fedTo({ argv }: SimpleCommand, { redirects, source }: PlainCommand): Pick<FedCommand, "fed"> {
  if (dialectOf(argv) === undefined) return {};
  const inputs = redirects.filter(({ operator }) => operator.startsWith("<"));
  const fed = inputs.length === 0 ? printedBy(source) : inputs.length === 1 ? inputs[0]?.body : undefined;
  return fed === undefined ? {} : { fed };
}

function printedBy(source: PlainCommand | undefined): string | undefined {
  const [echo, ...printed] = source?.words ?? [];
  const isPlain = ({ raw, parts, isWild }: PlainWord) =>
    !isWild && !/^-|\\/.test(raw) && parts.every((part) => typeof part === "string");
  const isPrinted = echo?.raw === "echo" && printed.every(isPlain) && source?.redirects.length === 0;
  return isPrinted ? `${printed.map(({ raw }) => raw).join(" ")}\n` : undefined;
}

/** Where `read` takes a line apart. */
const SEPARATOR = /^IFS=[ \t,:;|=]?$/;

/** What a shell is given must be a text that nothing is put into. */
function whyText({ argv }: SimpleCommand, { words }: PlainCommand): string | undefined {
  if (shellText(unwrapped(argv)) === undefined) return undefined;
  const text = words.at(-1);
  const isWritten = text?.parts.every((part) => typeof part === "string") === true && !text.isWild;
  return isWritten ? undefined : "a shell in it is given what is not written out";
}

function whyFed(round: SimpleCommand, command: PlainCommand): string | undefined {
  const argv = unwrapped(round.argv);
  if (isGivenCode(argv, command)) return "it runs code that is given to an interpreter";
  const isFed = command.redirects.some(({ body }) => body !== undefined);
  return isFed && !readsDocument(argv) ? "a here-document is fed to a program that may run it" : undefined;
}

/** A command and what it runs, as `timeout` and the like do. A pattern belongs to the last of them. */
function layersOf(command: SimpleCommand): readonly SimpleCommand[] {
  const { argv, redirects, expands = [] } = command;
  if (argv.length === 0 && redirects.length === 0) return [];
  const inner = transparentlyRun(argv);
  if (inner === undefined) return [command];
  const own = expands.filter((index) => index < argv.length - inner.length);
  const given = expandsOfLast(command, inner.length);
  return [simpleCommand(argv, redirects, own), ...layersOf(simpleCommand(inner, [], given))];
}

function whyUnsafe(
  commands: readonly SimpleCommand[],
  seen: SeenCommands,
  options: PlainOptions,
): string | undefined {
  if (commands.length === 0) return "there is no command in it";
  if (seen.wrapper !== undefined) return whyWrapped(seen.wrapper);
  if (commands.length > MOST_PLAIN_COMMANDS) return TOO_MANY;
  const changing = commands.find(({ argv }) => changesShell(argv));
  if (changing?.argv[0] === "export") return whySet(...changing.argv.slice(1));
  if (changing !== undefined)
    return `after \`${changing.argv[0]}\`, the same words may start other programs or name other files`;
  return commands.some((command) => isGitElsewhere(command, options.folder))
    ? "git runs what the configuration of another folder says"
    : undefined;
}

/** The disk tells what a folder of the project is to git. */
function isGitElsewhere({ argv: [name = ""], folder = "" }: SimpleCommand, own: string | undefined): boolean {
  if (folder === "" || !/(?:^|\/)git$/i.test(name)) return false;
  return own === undefined || (folder.startsWith("/") && !isWithin(folder, own));
}

function changesShell(argv: readonly string[]): boolean {
  const [name = "", ...args] = argv;
  if (name === "cd") return args.length !== 1 || /^-.|[*?[{]/.test(args[0] ?? "");
  if (name === "export" && args.length > 0) return !args.every(isHarmlessAssignment);
  const unchanging = Object.hasOwn(UNCHANGING, name) ? UNCHANGING[name] : undefined;
  if (CHANGING.has(name))
    return unchanging?.test(args.join(" ")) !== true && transparentlyRun(argv) === undefined;
  return (name === "printf" || name === "test" || name === "[") && args.some((arg) => /^-[vR]/.test(arg));
}

/** Whether the first parser has the same commands, with what a shell puts in later as it is written. */
function isSeen({ commands }: PlainLine, seen: readonly SimpleCommand[], { see }: PlainOptions): boolean {
  const own = commands.flatMap((command) => {
    const argv = command.words.map(({ raw }) => raw);
    // To the first parser it is no command.
    const run = argv[0] === "[[" ? [] : layersOf(simpleCommand(argv, command.redirects.flatMap(fileOf)));
    const texts = run.flatMap((one) => shellText(one.argv)?.text ?? []);
    return [...run, ...texts.flatMap((text) => see(text).commands), ...printersOf(command)];
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
function isGivenCode([name = "", ...args]: readonly string[], { isPiped, redirects }: PlainCommand): boolean {
  const program = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const letters = CODE_LETTERS.find(({ programs }) => programs.test(program))?.letters;
  if (letters === undefined) return false;
  const script = args.findIndex((arg) => !arg.startsWith("-") || arg === "-");
  const options = script === -1 ? args : args.slice(0, script);
  if (options.some((arg) => (arg.startsWith("--") ? LONG_OPTIONS.test(arg) : letters.test(arg)))) return true;
  if (args[script] === "-" || (program === "deno" && args[script] === "eval")) return true;
  const isFed = isPiped || redirects.some(({ operator }) => operator.startsWith("<"));
  if (script !== -1 || options.some((arg) => /^-m./.test(arg))) return false;
  return args.length === 0 || (isFed && !args.some((arg) => QUESTIONS.test(arg)));
}

/** Whether what is written in the line and fed to this command is only read, or statements that tell what they do. */
function readsDocument(argv: readonly string[]): boolean {
  if (dialectOf(argv) !== undefined) return true;
  const name = systemName(argv[0] ?? "");
  return READING.has(name) || READING_SUBCOMMANDS.test(`${name} ${argv[1] ?? ""} `);
}
