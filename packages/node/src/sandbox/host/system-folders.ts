/** Folders at the root that contain programs: real ones on old systems, links into `/usr` on new ones. */
export const PROGRAM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Where other systems keep their programs, readable for everybody and free of secrets by design. */
export const STORES = ["/usr", "/nix/store", "/gnu/store", "/run/current-system/sw"];

/** What programs need of `/etc`: no keys, no settings with credentials, of accounts only the names. */
export const SETTINGS = [
  "/etc/ld.so.cache",
  "/etc/alternatives",
  "/etc/passwd",
  "/etc/group",
  "/etc/hosts",
  "/etc/localtime",
  "/etc/os-release",
  "/etc/crypto-policies",
  "/etc/ssl/openssl.cnf",
];

/** Only for commands that may use the network; each mount takes its time. */
export const NETWORK_SETTINGS = [
  "/etc/resolv.conf",
  "/etc/nsswitch.conf",
  "/etc/host.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
];

/** For those that reach hosts at all. Names are resolved by the proxy, so that it needs no others. */
export const TLS_SETTINGS = [
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/pki/tls",
  "/etc/pki/ca-trust",
  "/etc/ca-certificates",
];

/** What programs of a place find as outside: how they look, print and speak, and nothing of users or servers. */
export const OF_PROGRAMS = [
  "/etc/fonts",
  "/etc/mime.types",
  "/etc/mailcap",
  "/etc/magic",
  "/etc/matplotlibrc",
  "/etc/inputrc",
  "/etc/terminfo",
  "/etc/papersize",
  "/etc/timezone",
  "/etc/locale.alias",
  "/etc/locale.conf",
  "/etc/lsb-release",
  "/etc/debian_version",
  "/etc/dictionaries-common",
  "/etc/perl",
  "/etc/php",
  "/etc/R",
  "/etc/python3",
  "/etc/ImageMagick-6",
  "/etc/ImageMagick-7",
  "/etc/ghostscript",
  "/etc/OpenCL",
  "/etc/vulkan",
  "/etc/nsswitch.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/host.conf",
  "/etc/gai.conf",
];

/** Runtimes that do not start without settings they keep here. */
export const RUNTIME_SETTINGS = /^(?:java-?\d|ld-musl-)/;

/** Lists the user's keys by their names, to every process that could use them. */
export const KEYS = "/proc/keys";

/** What every command sees of the system, as far as it is there. */
export const SYSTEM_PATHS: readonly string[] = [...STORES, ...PROGRAM_FOLDERS, ...SETTINGS];
