import { availableParallelism } from "node:os";
import { PROGRAM_KINDS, VARIABLE_NAMES, wordsIn } from "@toolkeep/catalog/internal";
import { systemName } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import type { PlainCommand, PlainLoop } from "./plain-line.ts";
import type { PlainRedirect } from "./plain-redirect.ts";
import { type PlainWord, PROCESSORS, whyFilledIn } from "./plain-word.ts";
import { unwrapped } from "./wrapped-commands.ts";

/** What a variable of a loop stands for in one round. */
interface Bound {
  readonly value: string;
  readonly isWild: boolean;
  /** It is what `read` gets. */
  readonly isFed?: boolean;
}

type Bindings = ReadonlyMap<string, Bound>;

interface ResolveOptions {
  readonly home: string;
  /** The program that gets the arg. */
  readonly program: string;
  /** It prints the arg, and nothing else comes of it. */
  readonly isPrinted: boolean;
}

/** The arg as the program gets it, or why that is unknown. */
type Resolved = Bound | { readonly value?: undefined; readonly reason: string };

const MOST_ROUNDS = 32;

/** The command once for every round of the loops around it, or why its args are unknown. */
export function resolveCommand(command: PlainCommand, home: string): readonly SimpleCommand[] | string {
  const commands: SimpleCommand[] = [];
  for (const bindings of roundsOf(command.loops)) {
    if (commands.length >= MOST_ROUNDS) return "it has more rounds of loops than are looked at";
    const resolved = resolveWords(command, bindings, home);
    if (typeof resolved === "string") return resolved;
    commands.push(resolved);
  }
  return commands;
}

function roundsOf(loops: readonly PlainLoop[]): readonly Bindings[] {
  return loops.reduce<readonly Bindings[]>(
    (rounds, { variable, words }) =>
      rounds.slice(0, MOST_ROUNDS).flatMap((bindings) =>
        words.map(({ raw, parts, isWild }) => {
          const isFed = parts.some((part) => typeof part !== "string");
          return new Map([...bindings, [variable, { value: raw, isWild, isFed }]]);
        }),
      ),
    [new Map()],
  );
}

function resolveWords(
  { words, redirects, folder }: PlainCommand,
  bindings: Bindings,
  home: string,
): SimpleCommand | string {
  const argv: string[] = [];
  const expands: number[] = [];
  for (const word of words) {
    const [path = "", format = "-"] = unwrapped(argv);
    const program = systemName(path);
    const isPrinted = program === "echo" || (program === "printf" && !format.startsWith("-"));
    const resolved = resolveWord(word, bindings, { home, program, isPrinted });
    if (resolved.value === undefined) return resolved.reason;
    if (resolved.isWild && argv.length > 0) expands.push(argv.length);
    argv.push(resolved.value);
  }
  if (argv[0] === "[[") argv.splice(0, argv.length, "[", ...argv.slice(1, -1), "]");
  const entered = folder.replaceAll(/\0(\w+)\0/g, (_, name: string) => bindings.get(name)?.value ?? "");
  return Object.freeze({ ...simpleCommand(argv, redirects.flatMap(fileOf), expands), folder: entered });
}

export function simpleCommand(
  argv: readonly string[],
  redirects: readonly File[] = [],
  expands: readonly number[] = [],
): SimpleCommand {
  const command = { argv: Object.freeze(argv), redirects: Object.freeze(redirects) };
  return Object.freeze(expands.length === 0 ? command : { ...command, expands: Object.freeze(expands) });
}

function resolveWord(word: PlainWord, bindings: Bindings, options: ResolveOptions): Resolved {
  let value = "";
  let { isWild } = word;
  const parts = word.parts.filter((part) => part !== "");
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string") value += part;
    else if ("printed" in part) value += part.printed;
    else {
      const isWhole = parts.length === 1;
      const bound = bindings.get(part.variable);
      const inserted =
        bound === undefined
          ? knownValue(part, { index, next: parts[index + 1], ...options })
          : boundValue(bound, part.isQuoted, isWhole, options);
      if (inserted.value === undefined) return inserted;
      value += inserted.value;
      isWild ||= inserted.isWild;
    }
  }
  return { value, isWild };
}

/** What a shell neither splits nor expands. */
const SIMPLE = /^[\w@%+=:,./-]+$/;
/** A pattern that is not split itself, whatever the names are that it finds. */
const WHOLE_PATTERN = /^[\w@%+=:,./~*?![\]^-]+$/;

/** Programs that show names, or how much is in a file: whatever words a name of a file is split into. */
const SHOWING_NAMES = wordsIn(PROGRAM_KINDS.showingNames);

function boundValue(
  bound: Bound,
  isQuoted: boolean,
  isWhole: boolean,
  { program, isPrinted }: ResolveOptions,
): Resolved {
  if (bound.isFed) return isQuoted && isPrinted ? bound : { reason: DOLLAR };
  if (bound.isWild && isPrinted && isQuoted && !isWhole) return known(bound.value);
  if (bound.isWild) {
    if (isWhole && (isQuoted || (SHOWING_NAMES.has(program) && WHOLE_PATTERN.test(bound.value))))
      return bound;
    return { reason: isWhole ? "a name that it finds may be split into several args" : DOLLAR };
  }
  return isQuoted || SIMPLE.test(bound.value) ? bound : { reason: DOLLAR };
}

const DOLLAR = whyFilledIn("$");

/** Numbers that a shell keeps. */
const NUMBERS: ReadonlySet<string> = new Set(["?", "$", "!", "#"]);
const TAKES_NUMBERS = wordsIn(PROGRAM_KINDS.takingNumbers);
/** Variables without secrets in them. */
const SHOWN = wordsIn(VARIABLE_NAMES.shown);

interface Place extends ResolveOptions {
  readonly index: number;
  readonly next: PlainWord["parts"][number] | undefined;
}

function knownValue(
  { variable, isQuoted }: { readonly variable: string; readonly isQuoted: boolean },
  { home, program, isPrinted, index, next }: Place,
): Resolved {
  const isFolder = index === 0 && (typeof next === "string" ? /^[/:]/.test(next) : next === undefined);
  if (variable === "HOME")
    return isQuoted || SIMPLE.test(home) ? known(home) : { reason: whyFilledIn(`$${variable}`) };
  // The folder that a command runs in is where its relative paths begin.
  if (variable === "PWD" && isFolder && program !== "") return known(".");
  if (variable === PROCESSORS) return known(String(availableParallelism()));
  if (NUMBERS.has(variable) && TAKES_NUMBERS.has(program)) return known(`$${variable}`);
  if (SHOWN.has(variable) && isPrinted) return known(`$${variable}`);
  return { reason: whyFilledIn(`$${variable}`) };
}

function known(value: string): Bound {
  return { value, isWild: false };
}

/** Those of the expanded args that are among the last `count`. */
export function expandsOfLast(
  { argv, expands = [] }: Pick<SimpleCommand, "argv" | "expands">,
  count: number,
): readonly number[] {
  return expands.map((index) => index - argv.length + count).filter((index) => index >= 0);
}

type File = SimpleCommand["redirects"][number];

/** The file that a redirect opens. */
export function fileOf({ operator, target }: PlainRedirect): readonly File[] {
  if (target === undefined || operator === ">&") return [];
  return [Object.freeze({ access: operator === "<" ? ("read" as const) : ("write" as const), path: target })];
}

const PRINTER = simpleCommand(["cat"]);

/** `$(cat <<'EOF' …)` and `$(nproc)` in args. */
export function printersOf({ words }: PlainCommand): readonly SimpleCommand[] {
  const parts = words.flatMap((word) => word.parts.filter((part) => typeof part === "object"));
  return parts.flatMap((part) => {
    if ("printed" in part) return [PRINTER];
    return part.variable === PROCESSORS ? [COUNTER] : [];
  });
}

const COUNTER = simpleCommand(["nproc"]);
