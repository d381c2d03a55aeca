export const SYSTEM_FOLDERS = new Set([
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
export const IN_USR = new Set([
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

export const SYSTEM_PLACES = /^(?:private\/etc|var\/spool\/cron|(?:var\/)?run\/docker\.sock)(?:\/|$)/;

export const OPEN_DEVICES = new Set([
  "null",
  "zero",
  "full",
  "stdin",
  "stdout",
  "stderr",
  "tty",
  "fd",
  "shm",
]);
