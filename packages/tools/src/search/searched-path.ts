import type { Effect, ToolContext } from "@toolkeep/core";
import { fsRead, isSecretFile } from "@toolkeep/core/internal";
import { isKeptPath } from "../kept/kept-path.ts";

/** What the search tools require. */
export const SEARCHED_PATHS = { fs: { read: ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**", "{tmp}/**"] } };

/** The effects of searching a path, the last of all below it: before it is opened, it may be a file or a folder. */
export function searchEffects(canonical: string | undefined): readonly Effect[] {
  const below: Effect = { ...fsRead(`${canonical ?? "."}/**`), partial: true, withoutSecrets: true };
  return canonical === undefined ? [below] : [fsRead(canonical), below];
}

/** Where a search starts, and how it names what it finds. */
export interface SearchedPath {
  readonly root: string;
  /** Whether the path itself contains secrets, so that policy decided on reading secrets. */
  readonly isSecret: boolean;
  /** A path in the form the model used, so that it can be used again; relative to the workspace by default. */
  shown(path: string): string;
}

/** Uses the resolved effects, not the argument: the argument may lead elsewhere, through links. */
export function searchedPath(
  given: string | undefined,
  { effects }: Pick<ToolContext, "effects">,
): SearchedPath {
  // The session alone gives out such paths, and what they hold is without secrets.
  if (given !== undefined && isKeptPath(given)) return { root: given, isSecret: true, shown: (path) => path };
  const canonical = effects.at(-1)?.target.slice(0, -"/**".length) ?? "";
  const start = given === undefined ? "" : `${given.replace(/(?<!\/)\/+$/, "")}/`;
  return {
    root: given ?? ".",
    isSecret: isSecretFile(canonical),
    shown(path) {
      if (path === canonical) return onOneLine(given ?? path);
      return onOneLine(path.startsWith(`${canonical}/`) ? start + path.slice(canonical.length + 1) : path);
    },
  };
}

/** A name may contain a line break and must not look like two names. */
function onOneLine(path: string): string {
  return path.replaceAll(
    /\p{Cc}/gu,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Whether a glob names a segment that begins with a dot, so that such names are wanted. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}
