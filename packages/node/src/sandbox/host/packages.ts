/** Without a filter for system calls the probes do not pass. */
export const UNKNOWN_PROCESSOR =
  "The system calls of this processor are not known; bubblewrap cannot be used here.";

export const PACKAGES: readonly (readonly [program: string, name: string])[] = [
  ["bwrap", "bubblewrap"],
  ["prlimit", "util-linux"],
];

export const INSTALLERS: readonly (readonly [program: string, command: string])[] = [
  ["apt-get", "apt-get install"],
  ["dnf", "dnf install"],
  ["zypper", "zypper install"],
  ["pacman", "pacman -S"],
  ["apk", "apk add"],
];

/** Where an administrator installs programs. The search path is not used: it may lead into a workspace. */
export const FOLDERS: readonly string[] = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/run/current-system/sw/bin",
];
