import type { ArgumentPath } from "./mapped-target.ts";
import { unreadable } from "./read-argument.ts";

const HINT = "Give the whole path, beginning with /, without ~, .. and wildcards.";
const SPELLING = "Give it in composed characters: é as one, K as the letter.";

/**
 * A path that says itself where it leads, whoever opens it. What a server makes of a relative path, of `~` or of `..`
 * behind a link is its own business, a wildcard would stand for many files here and for one there, and of a name that
 * can be spelled in two ways only the composed one counts.
 * @throws ToolFailure `invalid_arguments` for any other path.
 */
export function clearPath(value: string, path: ArgumentPath): string {
  if (!value.startsWith("/")) throw unreadable(path, "it is no absolute path", HINT);
  return withoutDots(value, path);
}

/** A path that begins at a folder unless it is absolute. @throws ToolFailure `invalid_arguments` as `clearPath` does. */
export function clearPathWithin(value: string, folder: string, path: ArgumentPath): string {
  const start = clearPath(folder, path);
  if (value.startsWith("~") || value.startsWith("-")) throw unreadable(path, "it is no plain path", HINT);
  // Git takes a colon first for the beginning of a pattern.
  if (value.startsWith(":")) throw unreadable(path, "it is a pattern and no path", HINT);
  // There a bracket begins a list of characters, as a star stands for any.
  if (value.includes("[")) throw unreadable(path, "it holds a wildcard", HINT);
  return value.startsWith("/") ? withoutDots(value, path) : withoutDots(`${start}/${value}`, path);
}

function withoutDots(value: string, path: ArgumentPath): string {
  if (/[*?{}\\]/.test(value)) throw unreadable(path, "it holds a wildcard or a backslash", HINT);
  // Some programs open an entry that is spelled otherwise where there is none of this very spelling.
  if (value !== value.normalize("NFC"))
    throw unreadable(path, "it is not in composed Unicode (NFC)", SPELLING);
  const segments = value.split("/");
  if (segments.includes("..")) throw unreadable(path, "it goes up with ..", HINT);
  return `/${segments.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
}
