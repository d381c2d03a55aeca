import { IN_USR, OPEN_DEVICES, SYSTEM_FOLDERS, SYSTEM_PLACES } from "./system-folders.ts";

const DRIVE = /^[a-z]$/;
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:)/;

/** Whether folded segments of an absolute path lead to where the operating system lives. */
export function isSystemPath(path: string, segments: readonly string[]): boolean {
  if (!ABSOLUTE.test(path)) return false;
  const [first = "", second = ""] = segments;
  if (first === "dev") return !OPEN_DEVICES.has(second);
  if (first === "usr") return second === "" || IN_USR.has(second);
  if (DRIVE.test(first)) return /^(?:windows|program files(?: \(x86\))?|programdata)$/.test(second);
  if (SYSTEM_FOLDERS.has(first)) return true;
  return /^(?:private|var|run)$/.test(first) && SYSTEM_PLACES.test(segments.join("/"));
}

/** The root, a folder directly below it, or a home directory: deleting it deletes everything. */
export function isTopFolder(path: string, segments: readonly string[]): boolean {
  if (/^~[/\\]?$/.test(path)) return true;
  if (!ABSOLUTE.test(path)) return false;
  return segments.length <= 1 || (segments.length === 2 && /^(?:home|users)$/.test(segments[0] ?? ""));
}
