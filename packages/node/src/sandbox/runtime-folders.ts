/** What programs need to start. On macOS this is untested. */
export const RUNTIME_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  linux: [
    ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/dev", "/proc"],
    ...["/etc/ld.so.cache", "/etc/alternatives", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/localtime"],
    ...["/etc/ssl/certs", "/etc/ssl/openssl.cnf"],
  ],
  darwin: [
    ...["/usr", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/private/var/db", "/private/etc"],
    "/dev",
  ],
};
