import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a step of a day does when it runs. Paths are relative to the project where they are in it. Most facts were
 * recorded in a jail (`npm run day -- --record`). Those of programs that most machines lack, or that need a service,
 * are stated in the day itself, as `does`, from the documentation of the program.
 */
export interface Facts {
  /** Files of the project that run as code. `package.json#build` is a script of a manifest. */
  readonly ran?: readonly string[];
  /** Code on the command line or on standard input runs. */
  readonly ranGiven?: true;
  readonly deleted?: readonly string[];
  /** Files of the project that it opens for writing or replaces, without those of git. */
  readonly changed?: readonly string[];
  /** Outside of the project and of temporary folders. */
  readonly wroteOutside?: readonly string[];
  /** Files and folders in the user's home, outside of the project. */
  readonly readOutside?: readonly string[];
  /** Tried to connect to a program on this machine, or to another machine. */
  readonly contacted?: readonly ("here" | "away")[];
  /** Signals other processes. */
  readonly ended?: true;
  /** Runs statements on a database. */
  readonly queried?: true;
  /** Prints environment variables, or writes them to a file. */
  readonly showsVariables?: true;
  /** What it changes that is no file of this machine. */
  readonly changedElsewhere?: "cluster" | "infrastructure" | "account" | "schedule" | "services";
}

/** The recorded facts of a day, by the numbers of its steps. */
export function recordedFacts(day: string): Readonly<Record<string, Facts>> {
  return JSON.parse(readFileSync(factsFile(day), "utf8")) as Readonly<Record<string, Facts>>;
}

export function factsFile(day: string): string {
  return join(import.meta.dirname, "facts", `${day}.json`);
}
