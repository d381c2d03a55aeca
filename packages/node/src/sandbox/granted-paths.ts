import { isBeneath, isWithin } from "../files/path-within.ts";

/** A folder with everything beneath it, or one very path. */
export interface GrantedPath {
  readonly path: string;
  readonly isWhole: boolean;
}

const WILD = /[*?{]/;

/**
 * The places that a list of patterns stands for, as far as they can be mounted: `/a/**` is a folder, `/a/b` one
 * path. A pattern that chooses among names cannot be, and grants nothing.
 */
export function placesOf(
  patterns: readonly string[],
  unusable: (pattern: string) => void,
): readonly GrantedPath[] {
  return patterns.flatMap((pattern) => {
    const place = placeOf(pattern);
    if (place === undefined) unusable(pattern);
    return place ?? [];
  });
}

function placeOf(pattern: string): GrantedPath | undefined {
  if (pattern === "**" || pattern === "/**") return { path: "/", isWhole: true };
  const isWhole = pattern.endsWith("/**");
  const path = isWhole ? pattern.slice(0, -"/**".length) : pattern;
  const isPlain = path.startsWith("/") && !WILD.test(path) && !/\/\.{0,2}(?:\/|$)/.test(path);
  return isPlain ? { path, isWhole } : undefined;
}

/** What both lists grant: of two folders within each other the deeper. */
export function intersection(
  some: readonly GrantedPath[],
  others: readonly GrantedPath[],
): readonly GrantedPath[] {
  return some.flatMap((one) => others.flatMap((other) => common(one, other) ?? []));
}

function common(one: GrantedPath, other: GrantedPath): GrantedPath | undefined {
  if (one.path === other.path) return one.isWhole ? other : one;
  if (one.isWhole && isBeneath(other.path, one.path)) return other;
  return other.isWhole && isBeneath(one.path, other.path) ? one : undefined;
}

export function covers(directories: readonly GrantedPath[], path: string): boolean {
  return directories.some((place) => (place.isWhole ? isWithin(path, place.path) : path === place.path));
}
