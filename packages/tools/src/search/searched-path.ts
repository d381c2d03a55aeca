import type { Effect, ToolContext } from "@toolkeep/core";
import { fsRead, isSecretFile } from "@toolkeep/core/internal";

/** Where these tools may ever look. */
export const SEARCHED_PATHS = { fs: { read: ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**"] } };

/** A glob as a schema. */
export const GLOB_SCHEMA = { type: "string", minLength: 1, maxLength: 1_024 } as const;

/** The place to begin at, as a schema. */
export const PLACE_SCHEMA = { type: "string", minLength: 1, maxLength: 4_096 } as const;

/** What to search for, as a schema. */
export const PATTERN_SCHEMA = {
  type: "string",
  minLength: 1,
  maxLength: 10_000,
  description: "The expression. A backslash before a special character takes it literally.",
} as const;

/**
 * What looking through a place touches; the last is all that lies beneath it. A place that is named may be one
 * file or a folder, which nobody knows before it is opened, so it is foreseen as both.
 */
export function lookingThrough(place: string | undefined): readonly Effect[] {
  const beneath: Effect = { ...fsRead(`${place ?? "."}/**`), partial: true };
  return place === undefined ? [beneath] : [fsRead(place), beneath];
}

/** Where a call begins to look, and how it names what it finds there. */
export interface SearchedPath {
  readonly root: string;
  /** Whether it is itself where secrets are, so that reading it was asked about as that. */
  readonly isSecret: boolean;
  /** A path in the words of whoever named the place, so that they can use it; from the workspace on if they named none. */
  shown(path: string): string;
}

/** By what was foreseen, and not by the words of the place: those may lead elsewhere than they say. */
export function searchedPath(
  said: string | undefined,
  { effects }: Pick<ToolContext, "effects">,
): SearchedPath {
  const place = effects.at(-1)?.target.slice(0, -"/**".length) ?? "";
  const start = said === undefined ? "" : `${said.replace(/(?<!\/)\/+$/, "")}/`;
  return {
    root: said ?? ".",
    isSecret: isSecretFile(place),
    shown(path) {
      if (path === place) return onOneLine(said ?? path);
      return onOneLine(path.startsWith(`${place}/`) ? start + path.slice(place.length + 1) : path);
    },
  };
}

/** A name may hold a line break, and must not look like two names. */
function onOneLine(path: string): string {
  return path.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Whether a glob has a name that begins with a dot: who writes one wants to see such names. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}
