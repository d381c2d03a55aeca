import compiled from "./compiled.json" with { type: "json" };
import type { ProgramEntry } from "./entry.ts";
import { readByEntry } from "./read-command.ts";
import type { Reading } from "./reading.ts";
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

/** The entry of a program by one of its names; `undefined` if it has none. */
export function entryOf(name: string): ProgramEntry | undefined {
  const program = Object.hasOwn(names, name)
    ? names[name]
    : patterns.find(([pattern]) => patternOf(pattern).test(name))?.[1];
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

/**
 * What a command does by the entry of its program; `undefined` where the program is not known. `expands` are the indexes
 * of words that a shell makes other words of.
 */
export function readCommand(argv: readonly string[], expands: readonly number[] = []): Reading | undefined {
  return readAt(argv, expands, 0);
}

function readAt(argv: readonly string[], expands: readonly number[], depth: number): Reading | undefined {
  const entry = entryOf((argv[0] ?? "").replace(SYSTEM_FOLDER, ""));
  if (entry === undefined || depth > DEEPEST) return undefined;
  return readByEntry(entry, { argv, expands }, (inner) => readAt(inner.argv, inner.expands, depth + 1));
}
