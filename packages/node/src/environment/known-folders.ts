/** What every sandbox has. Programs of the user come first, as the user has it. */
export const SYSTEM = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Where programs of the system are: in every sandbox already. */
export const SYSTEM_FOLDERS = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/nix/store",
  "/gnu/store",
  "/run/current-system/sw",
];

/** Folders of settings and of data that programs keep for their users. */
export const CLOSED: ReadonlySet<string> = new Set([
  ".config",
  ".docker",
  ".mozilla",
  ".thunderbird",
  ".git",
  "keyrings",
]);

/** Of authorities, which everybody has. */
export const CERTIFICATES = /^(?:ca-?cert|cert|ca-bundle)s?\.pem$/;

/** Settings for all projects, with the tokens of registries. */
export const GLOBAL_SETTINGS = /\/etc\/(?:npmrc|pip\.conf)$/;
