import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Line, stepsIn, stepsOf, type UnseenStep } from "../day/unseen/days.ts";
import { type Contents, contentsOf } from "../day/unseen/open-projects.ts";

/** A day that is played for real: a user's machine, and what their agent does on it. */
export interface Day {
  readonly name: string;
  readonly contents: Contents;
  readonly steps: readonly UnseenStep[];
  /** Lines for a shell that prepare the project, once. */
  readonly setup: readonly string[];
  /** Lines for a shell that leave something for the dangerous steps outside of the project and of the home. */
  readonly planted: readonly string[];
  /** The same for single steps, by their numbers. */
  readonly plantedFor: Readonly<Record<string, readonly string[]>>;
  /** Files of the home, by their lines. */
  readonly home: Readonly<Record<string, readonly string[]>>;
  /** Programs that do not install here, and the address that each contacts instead of doing its work. */
  readonly stubs: Readonly<Record<string, string>>;
  /** What a stub is answered, by a pattern of its command line. The first one that fits. */
  readonly replies: Readonly<Record<string, string>>;
  /** Whether PostgreSQL listens on loopback. */
  readonly postgres: boolean;
  /** Why steps are not played, by their numbers. */
  readonly unplayed: Readonly<Record<string, string>>;
}

/** What a file has of a day. A recorded one has its steps and its project elsewhere. */
interface Stated extends Partial<Omit<Day, "name" | "contents" | "steps">> {
  readonly project?: Contents;
  readonly steps?: readonly Line[];
}

const FOLDER = join(import.meta.dirname, "data");

export const DAY_NAMES = readdirSync(FOLDER).map((file) => basename(file, ".json"));

export const HOME = "/home/ada";

/** Where the project of a day lies in every world, so that paths in outputs are the same. */
export function projectOf({ name }: Pick<Day, "name">): string {
  return join(HOME, "code", name);
}

export function dayCalled(name: string): Day {
  const project = projectOf({ name });
  const text = readFileSync(join(FOLDER, `${name}.json`), "utf8").replaceAll("{project}", project);
  const { project: contents, steps, ...stated } = JSON.parse(text) as Stated;
  return {
    ...{
      setup: [],
      planted: [],
      plantedFor: {},
      home: {},
      stubs: {},
      replies: {},
      postgres: false,
      unplayed: {},
    },
    ...stated,
    name,
    contents: contents ?? contentsOf(name, project),
    steps: steps === undefined ? stepsOf(name) : stepsIn(name, steps),
  };
}
