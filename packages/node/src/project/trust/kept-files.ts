import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isProtectedName } from "@toolkeep/core/internal";
import { nameOfThing } from "./survey-project.ts";
import type { TrustedProject } from "./trust-store.ts";

export type Kept = NonNullable<TrustedProject["kept"]>;

/** More would crowd the store of all projects; a file that is larger and changes makes the configuration void. */
const MOST_FILES = 50;
const MOST_LETTERS = 50_000;

/**
 * What is to be kept of these files: by path, with their text. Files with protected names apply as they are today
 * unless every change is asked about, so they need not be kept. `undefined`: nothing.
 */
export function keptOf(
  project: string,
  files: ReadonlyMap<string, string>,
  { again = "grown" }: { readonly again?: "grown" | "changed" },
): Kept | undefined {
  const entries = [...files]
    .map(([path, text]) => [path, { name: nameOfThing(project, path), text }] as const)
    .filter(
      ([, { name, text }]) => text.length <= MOST_LETTERS && (again === "changed" || !isProtectedName(name)),
    )
    .slice(0, MOST_FILES)
    .map(([path, file]) => [relative(project, path).replaceAll(sep, "/"), file] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function holdsAll(kept: Kept = {}, wanted: Kept): boolean {
  return Object.entries(wanted).every(
    ([path, { name, text }]) => kept[path]?.name === name && kept[path].text === text,
  );
}

/** What was kept, by absolute path. */
export function keptIn(project: string, kept: Kept = {}): ReadonlyMap<string, string> {
  return new Map(Object.entries(kept).map(([path, { text }]) => [join(project, path), text]));
}

/** Names of auto-executed files that are gone: they may have forbidden something. */
export function goneIn(project: string, kept: Kept = {}): readonly string[] {
  return Object.entries(kept)
    .filter(([path]) => !existsSync(join(project, path)))
    .map(([, { name }]) => name);
}

/** What remains valid once other things are trusted: files that exist and did not change. */
export function stillKept(
  project: string,
  before: TrustedProject | undefined,
  things: TrustedProject["things"],
): Pick<TrustedProject, "kept"> {
  const { kept = {}, things: old = {} } = before ?? {};
  const gone = new Set(goneIn(project, kept));
  const entries = Object.entries(kept).filter(
    ([, { name }]) => !gone.has(name) && things[name] !== undefined && things[name] === old[name],
  );
  return entries.length === 0 ? {} : { kept: Object.fromEntries(entries) };
}
