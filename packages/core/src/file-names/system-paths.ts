const TOP = new Set([
  "etc",
  "bin",
  "sbin",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "boot",
  "proc",
  "sys",
  "dev",
  "system",
  "library",
]);

/** The parts of `/usr` that belong to the system. Container images often have a workspace next to them. */
const IN_USR = new Set([
  "bin",
  "sbin",
  "lib",
  "lib32",
  "lib64",
  "libexec",
  "local",
  "share",
  "include",
  "etc",
]);

const PLACES = /^(?:private\/etc|var\/spool\/cron|(?:var\/)?run\/docker\.sock)(?:\/|$)/;

const OPEN_DEVICES = new Set(["null", "zero", "full", "stdin", "stdout", "stderr", "tty", "fd", "shm"]);

const DRIVE = /^[a-z]$/;
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:)/;

/** Whether folded segments of an absolute path lead to where the operating system lives. */
export function isSystemPath(path: string, segments: readonly string[]): boolean {
  if (!ABSOLUTE.test(path)) return false;
  const [first = "", second = ""] = segments;
  if (first === "dev") return !OPEN_DEVICES.has(second);
  if (first === "usr") return second === "" || IN_USR.has(second);
  if (DRIVE.test(first)) return /^(?:windows|program files(?: \(x86\))?|programdata)$/.test(second);
  if (TOP.has(first)) return true;
  return /^(?:private|var|run)$/.test(first) && PLACES.test(segments.join("/"));
}

/** The root, a folder directly below it, or a home directory: deleting it deletes everything. */
export function isTopFolder(path: string, segments: readonly string[]): boolean {
  if (/^~[/\\]?$/.test(path)) return true;
  if (!ABSOLUTE.test(path)) return false;
  return segments.length <= 1 || (segments.length === 2 && /^(?:home|users)$/.test(segments[0] ?? ""));
}
