/** Folders at the root that contain programs: real ones on old systems, links into `/usr` on new ones. */
export const PROGRAM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Where other systems keep their programs, readable for everybody and free of secrets by design. */
export const STORES = ["/usr", "/nix/store", "/gnu/store", "/run/current-system/sw"];

/** What programs need of `/etc`: no keys, no settings with credentials, of accounts only the names. */
export const SETTINGS = [
  "ld.so.cache",
  "alternatives",
  "passwd",
  "group",
  "hosts",
  "localtime",
  "os-release",
  "crypto-policies",
  "ssl/openssl.cnf",
];

/** Only for commands that may use the network; each mount takes its time. */
export const NETWORK_SETTINGS = [
  "resolv.conf",
  "nsswitch.conf",
  "host.conf",
  "gai.conf",
  "services",
  "protocols",
];

/** For those that reach hosts at all. Names are resolved by the proxy, so that it needs no others. */
export const TLS_SETTINGS = ["ssl/certs", "ssl/cert.pem", "pki/tls", "pki/ca-trust", "ca-certificates"];

/** What programs of a place find as outside: how they look, print and speak, and nothing of users or servers. */
export const OF_PROGRAMS = [
  ...[
    "fonts",
    "mime.types",
    "mailcap",
    "magic",
    "matplotlibrc",
    "inputrc",
    "terminfo",
    "papersize",
    "timezone",
  ],
  ...[
    "locale.alias",
    "locale.conf",
    "lsb-release",
    "debian_version",
    "dictionaries-common",
    "perl",
    "php",
    "R",
  ],
  ...["python3", "ImageMagick-6", "ImageMagick-7", "ghostscript", "OpenCL", "vulkan", "nsswitch.conf"],
  ...["services", "protocols", "host.conf", "gai.conf"],
];

/** Runtimes that do not start without settings they keep here. */
export const RUNTIME_SETTINGS = /^(?:java-?\d|ld-musl-)/;

/** Lists the user's keys by their names, to every process that could use them. */
export const KEYS = "/proc/keys";

/** What every command sees of the system, as far as it is there. */
export const SYSTEM_PATHS: readonly string[] = [
  ...[...STORES, ...PROGRAM_FOLDERS],
  ...SETTINGS.map((name) => `/etc/${name}`),
];
