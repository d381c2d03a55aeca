import compiled from "./compiled.json" with { type: "json" };
import { isNameOf, type ProgramEntry } from "./entry.ts";
import { withOtherQuotes } from "./other-quotes.ts";
import { readByEntry } from "./read-command.ts";
import { type AboutWords, type GivenCommand, joined, type Reading } from "./reading.ts";
import { patternOf } from "./word-pattern.ts";

/** Entries as text, by program. */
interface Compiled {
  readonly programs: Readonly<Record<string, string>>;
  /** The programs of other names. */
  readonly names: Readonly<Record<string, string>>;
  /** Names with a `*`. */
  readonly patterns: readonly (readonly [pattern: string, program: string])[];
}

const { programs, names, patterns } = compiled as unknown as Compiled;
const entries = new Map<string, ProgramEntry>();

/** An entry that a user or a project adds to ours. */
export interface AddedEntry {
  readonly entry: ProgramEntry;
  /**
   * `first`: it stands instead of ours. `last`: it makes a program known that no other entry knows. `narrowing`, and
   * `last` too: what it says is joined with what another entry says.
   */
  readonly rank: "first" | "last" | "narrowing";
}

/** The programs that have an entry. */
export function programNames(): readonly string[] {
  return Object.keys(programs);
}

/** The entry of a program by one of its names; `undefined` if it has none. A name counts more than a pattern. */
export function entryOf(name: string, added: readonly AddedEntry[] = []): ProgramEntry | undefined {
  if (name.includes("/")) return undefined;
  const find = (rank: AddedEntry["rank"], exactly?: "exactly") =>
    added.find((one) => one.rank === rank && isNameOf(one.entry, name, exactly))?.entry;
  return (
    find("first", "exactly") ??
    entryNamed(Object.hasOwn(names, name) ? names[name] : name) ??
    find("first") ??
    entryNamed(patterns.find(([pattern]) => patternOf(pattern).test(name))?.[1]) ??
    find("last")
  );
}

function entryNamed(program: string | undefined): ProgramEntry | undefined {
  if (program === undefined || !Object.hasOwn(programs, program)) return undefined;
  const known = entries.get(program);
  if (known !== undefined) return known;
  const entry = JSON.parse(withOtherQuotes(programs[program] ?? "")) as ProgramEntry;
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

/** The language of the statements that a command may be given; `undefined` where it takes none. */
export function dialectOf(argv: readonly string[]): string | undefined {
  return entryOf(nameIn(argv))?.dialect;
}

/** What a command does by the entry of its program; `undefined` where the program is not known. */
export function readCommand(
  argv: readonly string[],
  about: AboutWords = {},
  added: readonly AddedEntry[] = [],
): Reading | undefined {
  return readAt({ ...about, argv }, added, 0);
}

function readAt(command: GivenCommand, added: readonly AddedEntry[], depth: number): Reading | undefined {
  const name = nameIn(command.argv);
  const entry = entryOf(name, added);
  if (entry === undefined || depth > DEEPEST) return undefined;
  const readBy = (one: ProgramEntry) => readByEntry(one, command, (inner) => readAt(inner, added, depth + 1));
  return added
    .filter((one) => one.rank !== "first" && one.entry !== entry && isNameOf(one.entry, name))
    .map((one) => readBy(one.entry))
    .reduce(joined, readBy(entry));
}
