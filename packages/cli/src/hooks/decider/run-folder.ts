import { homedir, hostname, userInfo } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { fs } from "../../terminal/builtin.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The directory of the decider's socket. Two things decide where it is, and both decide where the policy is as well:
 * `TOOLKEEP_HOME` and the home directory. No other variable does: a client may take its environment from a project, and
 * who can move the socket can answer for the decider. `undefined` if there is none.
 */
export function runFolderOf(env: Variables, home: () => string = homedir): string | undefined {
  const own = env["TOOLKEEP_HOME"];
  if (own !== undefined && own !== "") return isAbsolute(own) ? join(own, "state", "run") : undefined;
  try {
    const folder = home();
    return isAbsolute(folder) ? join(folder, ".local", "state", "toolkeep", "run") : undefined;
  } catch {
    return undefined;
  }
}

/** The administrator's configuration. The same as of `directories`, which a hook does not load before it decides. */
export const MANAGED =
  process.platform === "darwin"
    ? "/Library/Application Support/toolkeep/config.jsonc"
    : "/etc/toolkeep/config.jsonc";

/**
 * Whether a variable moves the directory on a machine with an administrator. Who moves it could answer in the place of
 * the decider, and the policy of the administrator does not move with it.
 */
export function isMoved(env: Variables, managed: string = MANAGED): boolean {
  if (![managed, managed.slice(0, -1)].some((file) => fs().existsSync(file))) return false;
  const own = env["TOOLKEEP_HOME"];
  try {
    return (own !== undefined && own !== "") || homedir() !== userInfo().homedir;
  } catch {
    return true;
  }
}

/** `sun_path` has 108 bytes on Linux and 104 on macOS, with a zero at its end. */
const LONGEST_PATH = process.platform === "linux" ? 107 : 103;
/** Of the name that a starting decider listens on at first. */
const PID_BYTES = 12;

export interface SocketKey {
  readonly folder: string;
  /** The canonical path of the program. */
  readonly program: string;
  /** The options of Node. Default: those of this process. */
  readonly options?: readonly string[];
}

/**
 * The path of the socket. Each program has its own, with its Node and the options of it, so that two installed versions
 * do not replace each other's. So has each machine, because a home directory may be on several. `undefined` if the path
 * is too long.
 */
export function socketPathOf({ folder, program, options = process.execArgv }: SocketKey): string | undefined {
  const own = [hostname(), process.execPath, ...options, program].join("\0");
  const path = join(folder, `${shortHash(own)}.sock`);
  return Buffer.byteLength(path) + PID_BYTES > LONGEST_PATH ? undefined : path;
}

/** Not a secret and not a proof: a request names the program again, and the decider compares it. */
function shortHash(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Whether this is a directory of this user, not a link to one, that no other user can enter. */
export function isPrivateFolder(folder: string): boolean {
  const found = fs().lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return false;
  return found.uid === userId() && (found.mode & 0o077) === 0;
}

/** Whether there is a socket of this user, not a link to one. */
export function socketState(path: string): "missing" | "ours" | "foreign" {
  const found = fs().lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "missing";
  return found.isSocket() && found.uid === userId() ? "ours" : "foreign";
}

/** Makes the directory if it does not exist. Whether it is private is checked afterwards. */
export function makeFolder(folder: string): void {
  fs().mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whether a directory is one of these, or within one. */
export function isIn(folder: string, folders: readonly (string | undefined)[]): boolean {
  return folders.some(
    (one) => one !== undefined && one !== "" && (folder === one || folder.startsWith(one + sep)),
  );
}

function userId(): number | undefined {
  return process.geteuid?.();
}

/**
 * Which files the paths of this process stand for, its mount namespace and its root, and its user and groups. A client in
 * a container may see the socket, and other files than the decider under the same paths; and a client may be in another
 * group. It decides by itself then: the decider decides for its own user and groups, whatever a message says.
 */
export function viewOfProcess(): string {
  const { dev, ino } = fs().statSync("/");
  return `${dev}:${ino} ${mountNamespace()} ${[userId(), ...(process.getgroups?.() ?? [])].join(",")}`;
}

function mountNamespace(): string {
  try {
    return fs().readlinkSync("/proc/self/ns/mnt");
  } catch {
    return "";
  }
}

/** Changes whenever a file is replaced or written: a package may set the time of modification, and nothing sets the time of change. */
export function stampOf(file: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = fs().statSync(file);
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}
