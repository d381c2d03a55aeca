import type { ArgumentPath } from "./mapped-target.ts";
import { unreadable } from "./read-argument.ts";

const HINT = "Pass the whole path, beginning with /, without ~, .. and wildcards.";
const SPELLING = "Write it in composed characters: é as one, K as the letter.";

/**
 * A path with one meaning, whichever program opens it. How a server resolves a relative path, `~` or `..` behind a
 * link is unknown, a wildcard could mean many files here and one there, and of a name with two spellings only the
 * composed one is accepted.
 * @throws ToolFailure `invalid_arguments` for any other path.
 */
export function clearPath(value: string, path: ArgumentPath): string {
  if (!value.startsWith("/")) throw unreadable(path, "it is not an absolute path", HINT);
  return withoutDots(value, path);
}

/** A path relative to a directory unless it is absolute. @throws ToolFailure `invalid_arguments` as `clearPath` does. */
export function clearPathWithin(value: string, folder: string, path: ArgumentPath): string {
  const start = clearPath(folder, path);
  if (value.startsWith("~") || value.startsWith("-")) throw unreadable(path, "it is not a plain path", HINT);
  // Git treats a leading colon as the start of a pattern.
  if (value.startsWith(":")) throw unreadable(path, "it is a pattern, not a path", HINT);
  // In git patterns a bracket starts a character class.
  if (value.includes("[")) throw unreadable(path, "it contains a wildcard", HINT);
  return value.startsWith("/") ? withoutDots(value, path) : withoutDots(`${start}/${value}`, path);
}

function withoutDots(value: string, path: ArgumentPath): string {
  if (/[*?{}\\]/.test(value)) throw unreadable(path, "it contains a wildcard or a backslash", HINT);
  // Some programs open an entry with another spelling if there is none with exactly this one.
  if (value !== value.normalize("NFC"))
    throw unreadable(path, "it is not in composed Unicode (NFC)", SPELLING);
  const segments = value.split("/");
  if (segments.includes("..")) throw unreadable(path, "it goes up with ..", HINT);
  return `/${segments.filter((segment) => segment !== "" && segment !== ".").join("/")}`;
}
