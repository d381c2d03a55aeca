import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inoAt, isFolder, statsAt } from "../layer/stamp.ts";
import { planIn } from "./notes.ts";
import type { PastCommand } from "./past.ts";
import type { Step } from "./steps.ts";

/** A file that a contained command changed, as it was and as it became. */
export interface PastVersion {
  /** Relative to the project. */
  readonly path: string;
  readonly isHeld: boolean;
  /** Where it is as it was; missing if there was nothing. */
  readonly before?: string;
  /** Where it is as it became; missing if it was deleted. */
  readonly after?: string;
  /** Whether a version is gone, because something else changed the file since. */
  readonly isLost: boolean;
}

export interface PastPlace {
  readonly project: string;
  /** All commands of the project, to find what a later one displaced. */
  readonly commands: readonly PastCommand[];
}

/** Every file that a command changed, as far as both versions of it are known. Rights and times alone are left out. */
export function pastVersions(past: PastCommand, { project, commands }: PastPlace): readonly PastVersion[] {
  const held = past.work
    .filter(({ does }) => does === "put" || does === "remove")
    .map(({ path, does }) => {
      const [there, made] = [join(project, path), join(past.folder, "upper", path)];
      const known = { path, isHeld: true, isLost: false };
      return { ...known, ...versions(statsAt(there) && there, does === "put" && made) };
    });
  const kept = new Set(past.kept);
  const later = commands
    .filter(({ number }) => number > past.number)
    .flatMap(({ folder }) => stepsIn(folder));
  const done = stepsIn(past.folder)
    .filter(({ path, does }) => kept.has(path) && does !== "mode" && does !== "touch")
    .map((step) => {
      const since = later.filter(({ path }) => path === step.path).map(({ from }) => from);
      const find = (ino: string) => [join(project, step.path), ...since].find((path) => inoAt(path) === ino);
      const [was, now] = [step.was?.ino, step.does === "remove" ? undefined : step.now?.ino];
      // What came and what was there change places: with the command, and again with its undoing.
      const before = was && (past.isUndone ? find(was) : step.from);
      const after = now && (past.isUndone ? step.from : find(now));
      const isLost = (was !== undefined && !before) || (now !== undefined && !after);
      return { path: step.path, isHeld: false, isLost, ...versions(before, after) };
    });
  return [...done, ...held].flatMap(filesOf);
}

function stepsIn(folder: string): readonly Step[] {
  return planIn(folder)?.steps ?? [];
}

function versions(before: string | false | undefined, after: string | false | undefined) {
  return { ...(before ? { before } : {}), ...(after ? { after } : {}) };
}

const MOST_FILES = 1_000;

/** A folder that is new or gone, by its files. */
function filesOf(version: PastVersion): readonly PastVersion[] {
  const names = new Set(
    [version.before, version.after].flatMap((path) => (path && isFolder(path) ? filesIn(path) : [])),
  );
  if (names.size === 0) return [version];
  const beneath = (path: string | undefined, name: string) => {
    const at = path && join(path, name);
    return at && statsAt(at) && at;
  };
  return [...names].slice(0, MOST_FILES).map((name) => ({
    ...{ path: `${version.path}/${name}`, isHeld: version.isHeld, isLost: version.isLost },
    ...versions(beneath(version.before, name), beneath(version.after, name)),
  }));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
