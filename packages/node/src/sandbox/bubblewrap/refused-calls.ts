import type { KnownProcessor, SystemCall } from "../host/system-calls.ts";

export const ARCHITECTURES: Readonly<Record<KnownProcessor, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Errors as the kernel numbers them on both processors. */
export const ERRORS = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 } as const;

/** Whatever its arguments. A program that gets `EPERM` knows that it lacks permission. */
export const FORBIDDEN: readonly SystemCall[] = [
  // Other processes, process 1 of the sandbox among them.
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"] as const),
  ...(["process_mrelease", "move_pages", "migrate_pages"] as const),
  // Mounts and namespaces.
  ...(["setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr"] as const),
  ...(["move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"] as const),
  // The machine.
  ...(["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"] as const),
  ...(["swapon", "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "syslog"] as const),
  ...(["open_by_handle_at", "fanotify_init", "lookup_dcookie", "nfsservctl", "iopl", "ioperm"] as const),
  ...(["uselib", "_sysctl", "bpf", "perf_event_open", "userfaultfd"] as const),
];

/** Programs have another way where the kernel is too old for these; with `clone3` that is needed, since no filter can see its flags. */
export const MISSING: readonly SystemCall[] = [
  ...(["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "process_madvise"] as const),
  ...(["keyctl", "add_key", "request_key"] as const),
];

/** `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`. */
export const NEW_NAMESPACES = 0x7e020000;

/** Means a namespace to `unshare` alone; for `clone` it is part of a signal's number. */
export const NEW_TIME = 0x80;

/** `TIOCSTI` and `TIOCLINUX`. */
export const TERMINAL_INPUT = 0x5412;
export const CONSOLE = 0x541c;

/** Linux, 32 bits, an old version number, no random addresses; and the question which it is. */
export const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0x40000, 0xffffffff];

export const UNIX = 1;
export const INTERNET = [2, 10];
export const NETLINK = 16;
export const NETLINK_ROUTE = 0;
export const NETLINK_SOCK_DIAG = 4;

/** Programs with these bits run as the owner or the group of their file, for every user. */
export const LENDING_BITS = 0o6000;

/** `O_CREAT`, and the bit of `O_TMPFILE` that no other flag has. */
export const CREATING = 0x400040;
