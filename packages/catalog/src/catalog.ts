import compiled from "./compiled.json" with { type: "json" };
import { isNameOf, type ProgramEntry } from "./entry.ts";
import { readByEntry } from "./read-command.ts";
import { type GivenCommand, joined, type Reading } from "./reading.ts";
import { patternOf } from "./word-pattern.ts";

/** Entries as text, by program, and the program of every name. */
interface Compiled {
  readonly programs: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
  /** Names with a `*`. */
  readonly patterns: readonly (readonly [pattern: string, program: string])[];
}

const { programs, names, patterns } = compiled as unknown as Compiled;
const entries = new Map<string, ProgramEntry>();

/** Entries that others add to ours. */
export interface AddedEntries {
  /** They stand instead of ours. */
  readonly own?: readonly ProgramEntry[];
  /** What they say is joined with what else is known of a program. They alone make none known. */
  readonly narrowing?: readonly ProgramEntry[];
}

/** The programs that have an entry. */
export function programNames(): readonly string[] {
  return Object.keys(programs);
}

/** The entry of a program by one of its names; `undefined` if it has none. A name counts more than a pattern. */
export function entryOf(name: string, own: readonly ProgramEntry[] = []): ProgramEntry | undefined {
  if (name.includes("/")) return undefined;
  return (
    own.find((entry) => isNameOf(entry, name, "exactly")) ??
    (Object.hasOwn(names, name) ? entryNamed(names[name]) : undefined) ??
    own.find((entry) => isNameOf(entry, name)) ??
    entryNamed(patterns.find(([pattern]) => patternOf(pattern).test(name))?.[1])
  );
}

function entryNamed(program: string | undefined): ProgramEntry | undefined {
  if (program === undefined) return undefined;
  const known = entries.get(program);
  if (known !== undefined) return known;
  const entry = JSON.parse(programs[program] ?? "{}") as ProgramEntry;
  entries.set(program, entry);
  return entry;
}

/** A folder in which the system, or a package manager of it, keeps programs. */
const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?s?bin\/(?=[^/]+$)/;
const DEEPEST = 4;

/** The name by which a command calls its program. */
export function nameIn([word = ""]: readonly string[]): string {
  return word.replace(SYSTEM_FOLDER, "");
}

/**
 * What a command does by the entry of its program; `undefined` where the program is not known. `expands` are the indexes
 * of words that a shell makes other words of.
 */
export function readCommand(
  argv: readonly string[],
  expands: readonly number[] = [],
  added: AddedEntries = {},
): Reading | undefined {
  return readAt({ argv, expands }, added, 0);
}

function readAt(
  command: GivenCommand,
  { own = [], narrowing = [] }: AddedEntries,
  depth: number,
): Reading | undefined {
  const name = nameIn(command.argv);
  const entry = entryOf(name, own);
  if (entry === undefined || depth > DEEPEST) return undefined;
  const readBy = (one: ProgramEntry) =>
    readByEntry(one, command, (inner) => readAt(inner, { own, narrowing }, depth + 1));
  return narrowing
    .filter((one) => isNameOf(one, name))
    .map(readBy)
    .reduce(joined, readBy(entry));
}
