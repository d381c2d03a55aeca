import { join } from "node:path";
import { textAt } from "./entries.ts";
import { namePattern } from "./name-pattern.ts";

const PLAIN_LINE = /^\/?(?:\*\*\/)?[\w.@+*-]+\/?$/;

/**
 * What the ignore files of a folder surely take out of what lies in it: plain names and endings alone. Where a file
 * brings something back, only folders count, out of which nothing can be brought back.
 */
export function ignoredIn(folder: string): readonly IgnoredName[] {
  return [".gitignore", ".ignore", ".rgignore"].flatMap((name) => {
    const lines = (textAt(join(folder, name)) ?? "").split("\n").map((line) => line.trim());
    const bringsBack = lines.some((line) => line.startsWith("!"));
    return lines
      .filter((line) => PLAIN_LINE.test(line) && (!bringsBack || line.endsWith("/")))
      .map((line) => ({
        fits: anywhere(line.replace(/^\/?(?:\*\*\/)?/, "").replace(/\/$/, "")),
        isFolder: line.endsWith("/"),
        isHere: line.startsWith("/") && !line.startsWith("/**"),
      }));
  });
}

export interface IgnoredName {
  fits(name: string): boolean;
  /** Folders alone. */
  readonly isFolder: boolean;
  /** In this folder, not beneath. */
  readonly isHere: boolean;
}

/** Here a `*` also means what begins with a dot. */
function anywhere(pattern: string): (name: string) => boolean {
  const fits = namePattern(pattern);
  const fitsHidden = namePattern(`.${pattern}`);
  return (name) => fits(name) || (pattern.startsWith("*") && fitsHidden(`.${name}`));
}
