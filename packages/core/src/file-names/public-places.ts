/** Folders with programs, what belongs to them, or temporary files. */
const FOLDERS =
  "/usr /bin /sbin /lib /lib32 /lib64 /tmp /var/tmp /private/tmp /sys /nix/store /snap /opt/homebrew /System/Library " +
  "/Library/Developer /Applications /etc/ssl/certs /etc/ca-certificates /etc/alternatives /etc/ld.so.conf.d " +
  "/var/lib/dpkg /var/lib/apt /proc/sys /dev/fd";

/** Files that say what the machine is, and nothing of who uses it. */
const FILES =
  "/dev/null /dev/zero /dev/random /dev/urandom /dev/stdin /dev/stdout /dev/stderr /dev/tty /etc/os-release " +
  "/etc/lsb-release /etc/debian_version /etc/redhat-release /etc/alpine-release /etc/arch-release /etc/fedora-release " +
  "/etc/system-release /etc/issue /etc/timezone /etc/localtime /etc/services /etc/protocols /etc/shells /etc/mime.types " +
  "/etc/magic /etc/locale.conf /etc/locale.gen /etc/ld.so.conf /etc/ld.so.cache /etc/nsswitch.conf " +
  "/proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime /proc/stat /proc/vmstat /proc/filesystems " +
  "/proc/diskstats /proc/partitions /proc/swaps /proc/devices /proc/modules /proc/interrupts";

/** Places that everybody on a machine may read, and that hold no private data. A folder stands for all that is in it. */
export const PUBLIC_PLACES: readonly string[] = Object.freeze([...FOLDERS.split(" "), ...FILES.split(" ")]);
