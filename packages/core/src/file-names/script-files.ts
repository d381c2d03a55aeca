import type { Effect } from "../contract/call/effect.ts";
import { foldedSegments } from "./name-class.ts";
import {
  CONFIGURATION,
  HOOK_FOLDERS,
  HOOKS,
  LOADED_BY,
  PACKAGE_MANAGERS,
  RUNNERS,
  SCRIPT,
  SCRIPT_FOLDERS,
  SOURCE,
} from "./script-runners.ts";

/** What effects change of what commands run: files, or scripts of a `package.json` (`FILE#NAME`) where it is known. */
export function changedScriptsOf(effects: readonly Effect[]): readonly string[] {
  // Most calls change nothing, and nothing is made for them.
  if (!effects.some(changesScript)) return NONE;
  return effects
    .filter(changesScript)
    .flatMap(({ target, scripts }) => scripts?.map((name) => `${target}#${name}`) ?? [target]);
}

function changesScript({ capability, target }: Effect): boolean {
  return (capability === "fs.write" || capability === "fs.delete") && isCode(target);
}

/** Whether a command may run what stands in this file, so that a change of it is kept. */
export function isCode(path: string): boolean {
  return SOURCE.test(path) || runnersOf(path) !== undefined;
}

/** A file of code that is run only where a command names it. Tests and builds load such files all the time. */
export function isSource(path: string): boolean {
  return SOURCE.test(path) && runnersOf(path) === undefined;
}

/** The programs that run what stands in this file; `undefined` if there are none. A hook is run by its own name. */
export function runnersOf(path: string): readonly string[] | undefined {
  const segments = foldedSegments(path);
  const name = segments.at(-1) ?? "";
  if (Object.hasOwn(RUNNERS, name)) return RUNNERS[name];
  if (segments.slice(0, -1).some((folder) => HOOK_FOLDERS.has(folder))) return [name];
  const [, plain, dotted] = CONFIGURATION.exec(name) ?? [];
  const tool = plain ?? dotted;
  if (tool !== undefined) return [tool, ...loadedBy(tool), ...PACKAGE_MANAGERS, ...HOOKS];
  const isScript = SCRIPT.test(name) || segments.slice(0, -1).some((folder) => SCRIPT_FOLDERS.has(folder));
  return isScript ? NONE : undefined;
}

function loadedBy(tool: string): readonly string[] {
  return Object.hasOwn(LOADED_BY, tool) ? (LOADED_BY[tool] ?? NONE) : NONE;
}

const NONE: readonly string[] = [];
