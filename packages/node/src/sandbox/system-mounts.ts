import { lstat, readdir, readlink, realpath } from "node:fs/promises";

/** Folders at the root that hold programs: real ones on old systems, links into `/usr` on new ones. */
const PROGRAM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Where other systems keep their programs, readable for everybody and free of secrets by design. */
const STORES = ["/usr", "/nix/store", "/gnu/store", "/run/current-system/sw"];

/** What programs need of `/etc`: no keys, no settings that hold credentials, of accounts the names alone. */
const SETTINGS = [
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
const NETWORK_SETTINGS = [
  "resolv.conf",
  "nsswitch.conf",
  "host.conf",
  "gai.conf",
  "services",
  "protocols",
  "ssl/certs",
  "ssl/cert.pem",
  "pki/tls",
  "pki/ca-trust",
];

/** Runtimes that do not start without settings they keep here. */
const RUNTIME_SETTINGS = /^(?:java-?\d|ld-musl-)/;

/** Lists the user's keys by their names, to every process that could use them. */
const KEYS = "/proc/keys";

/** Words for `bwrap`. */
export interface SystemMounts {
  readonly words: readonly string[];
  /** Beside the others, for commands that may use the network. */
  readonly forNetwork: readonly string[];
  /** After the others: what the kernel tells of keys that are not the command's. */
  readonly covers: readonly string[];
}

/** What puts the programs of this system in place, read-only. */
export async function systemMounts(programs: readonly string[] = []): Promise<SystemMounts> {
  const words: string[] = [];
  for (const path of STORES) if (await exists(path)) words.push("--ro-bind", path, path);
  for (const path of PROGRAM_FOLDERS) words.push(...(await programFolder(path)));
  for (const path of programs) words.push("--ro-bind", path, path);
  words.push(...(await settings([...SETTINGS, ...(await runtimeSettings())])));
  const covers = (await exists(KEYS)) ? ["--ro-bind", "/dev/null", KEYS] : [];
  return { words, forNetwork: await settings(NETWORK_SETTINGS), covers };
}

/** A link into the programs of the system stays one, which costs less than a mount. */
async function settings(names: readonly string[]): Promise<readonly string[]> {
  const words: string[] = [];
  for (const path of names.map((name) => `/etc/${name}`)) {
    const end = await realpath(path).catch(() => undefined);
    if (end === undefined) continue;
    const isInUsr = end !== path && end.startsWith("/usr/");
    words.push(...(isInUsr ? ["--symlink", end, path] : ["--ro-bind", path, path]));
  }
  return words;
}

async function programFolder(path: string): Promise<readonly string[]> {
  if (!(await exists(path))) return [];
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? ["--ro-bind", path, path] : ["--symlink", target, path];
}

async function runtimeSettings(): Promise<readonly string[]> {
  const names = await readdir("/etc").catch(() => []);
  return names.filter((name) => RUNTIME_SETTINGS.test(name));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
