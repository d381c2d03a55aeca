/** The packages of the programs that a place is made with. */
export const PACKAGES = {
  bwrap: "bubblewrap",
  ip: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  perl: "perl",
} as const;

export const SETTINGS = {
  "user.max_user_namespaces": "10000",
  "kernel.unprivileged_userns_clone": "1",
  "kernel.apparmor_restrict_unprivileged_userns": "0",
} as const;
