/** Errors of an entry that is gone or no readable file. Any other must not look like an empty result. */
export const GONE: ReadonlySet<string> = new Set([
  "conflict",
  "tool_failed",
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EACCES",
  "EPERM",
]);
