/** Processors with known system calls, by the names that Node gives them. */
export type KnownProcessor = "x64" | "arm64";

/** On x64, on arm64; `undefined` where the processor does not have it. */
type Numbers = readonly [x64: number, arm64: number | undefined];

/**
 * Numbers of the system calls that the filter names. From the kernel's own tables:
 * `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
 */
const SYSTEM_CALLS = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  clone: [56, 220],
  clone3: [435, 435],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  uselib: [134, undefined],
  _sysctl: [156, undefined],
  ioctl: [16, 29],
  personality: [135, 92],
  socket: [41, 198],
  socketpair: [53, 199],
  open: [2, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  creat: [85, undefined],
  mknod: [133, undefined],
  mknodat: [259, 33],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
} as const satisfies Readonly<Record<string, Numbers>>;

export type SystemCall = keyof typeof SYSTEM_CALLS;

/** The last one of Linux 6.18, on both processors. */
export const LAST_KNOWN_CALL = 469;

export function callNumber(name: SystemCall, processor: KnownProcessor): number | undefined {
  const [x64, arm64] = SYSTEM_CALLS[name];
  return processor === "x64" ? x64 : arm64;
}

export function isKnownProcessor(name: string): name is KnownProcessor {
  return name === "x64" || name === "arm64";
}
