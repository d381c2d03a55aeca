import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { FROM_SOURCE } from "../from-source.ts";

/** Around everything that runs attacks: its own mounts, processes and network, and nothing of the machine to write to. */
export interface JailRun {
  /** A TypeScript file of ours, run by Node within the jail. */
  readonly script: string;
  readonly args?: readonly string[];
  /** `root` is real within the jail, and possible only where the tests run as root. */
  readonly as: "root" | "user";
  readonly timeoutMs?: number;
  /** What else `bwrap` is to show in the jail. */
  readonly mounts?: readonly string[];
  /** A line for a shell, run by the real root in the new network before anything is mounted. */
  readonly network?: string;
  /** Rights of the real root that it keeps in addition. */
  readonly capabilities?: readonly string[];
  /** Called with what it writes to standard error, as it comes. */
  onProgress?(text: string): void;
}

export interface JailOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = join(import.meta.dirname, "../..");
export const JAIL_USER = 12_345;
const isRoot = process.getuid?.() === 0;

/** Why no jail can be built here; `undefined` if it can. */
export function whyNoJail(as: "root" | "user"): string | undefined {
  if (process.platform !== "linux") return "there are no namespaces on this platform";
  if (!existsSync("/usr/bin/bwrap")) return "bwrap is not installed";
  if (as === "root" && !isRoot) return "the tests do not run as root";
  canNest ??= isNestedBuilt();
  return canNest ? undefined : "a sandbox cannot be built within a sandbox here";
}

let canNest: boolean | undefined;

function isNestedBuilt(): boolean {
  const [program, ...args] = [...jailArgs("user"), ...NESTED] as [string, ...string[]];
  return spawnSync(program, args, { env: CLEAN, stdio: "ignore", timeout: 60_000 }).status === 0;
}

const NESTED = ["/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "/usr/bin/true"];

/** Nothing of our own environment is in the jail, except what the script is told. */
const CLEAN = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/tmp" };

export function runInJail({
  script,
  args = [],
  as,
  timeoutMs = 150_000,
  mounts = [],
  network,
  capabilities,
  onProgress,
}: JailRun): Promise<JailOutcome> {
  const node = [process.execPath, ...FROM_SOURCE, "--no-warnings", script, ...args];
  const [program, ...words] = [...jailArgs(as, { mounts, network, capabilities }), ...node] as [
    string,
    ...string[],
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env: CLEAN, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    const timer = setTimeout(() => {
      output.stderr += `ended after ${timeoutMs} ms\n`;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output.stderr += chunk;
      onProgress?.(String(chunk));
    });
    child.once("error", reject);
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, ...output });
    });
  });
}

interface JailParts {
  readonly mounts?: readonly string[] | undefined;
  readonly network?: string | undefined;
  readonly capabilities?: readonly string[] | undefined;
}

function jailArgs(
  as: "root" | "user",
  { mounts = [], network = "true", capabilities = [] }: JailParts = {},
): readonly string[] {
  if (!isRoot) return ["/usr/bin/bwrap", "--unshare-all", ...MOUNTS, ...mounts, "--proc", "/proc", "--"];
  const drop = ["/usr/bin/setpriv", `--reuid=${JAIL_USER}`, `--regid=${JAIL_USER}`, "--clear-groups"];
  return [
    ...NAMESPACES,
    ...["/bin/sh", "-c", `ip link set lo up; ${network}; exec "$@"`, "sh"],
    "/usr/bin/bwrap",
    ...MOUNTS,
    ...mounts,
    ...PRIVILEGED,
    ...capabilities.flatMap((name) => ["--cap-add", `CAP_${name}`]),
    "--",
    ...(as === "user" ? drop : []),
  ];
}

/**
 * By root, without a user namespace, so that root within is the real one. The jail ends with the process that started
 * it, however that ends: `unshare` by the kernel, and everything within by the end of its first process.
 */
const NAMESPACES = [
  ...["/usr/bin/setpriv", "--pdeathsig", "KILL"],
  ...[
    "/usr/bin/unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--net",
    "--ipc",
    "--uts",
  ],
];

/**
 * The settings of the kernel are covered where anything in the jail could find them. A sandbox within may mount its
 * own processes only where some other mount shows all of them; that one is behind a folder closed to all but root.
 */
const PRIVILEGED = [
  ...["--perms", "0700", "--tmpfs", "/mnt", "--bind", "/proc", "/mnt/proc"],
  ...["--bind", "/proc", "/proc"],
  // Not those of users: a sandbox within writes there that no further namespaces may be created in it.
  ...["kernel", "fs", "vm", "net", "debug", "dev", "abi"].flatMap((name) => {
    const path = `/proc/sys/${name}`;
    return ["--ro-bind-try", path, path];
  }),
  ...["--cap-drop", "ALL"],
  ...["SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL"].flatMap((name) => [
    "--cap-add",
    `CAP_${name}`,
  ]),
];

const EMPTIED = ["/tmp", "/run", "/var/tmp", "/root", "/home"];

const MOUNTS = [
  ...["--ro-bind", "/", "/", "--dev", "/dev"],
  ...EMPTIED.flatMap((path) => ["--perms", path === "/tmp" ? "1777" : "0755", "--tmpfs", path]),
  // The checkout may lie below one of those. Folders that bwrap makes by itself are closed to the jail's user.
  ...foldersAbove(ROOT)
    .filter((folder) => EMPTIED.some((path) => folder.startsWith(`${path}/`)))
    .flatMap((folder) => ["--perms", "0755", "--dir", folder]),
  ...["--ro-bind", ROOT, ROOT],
  ...["--die-with-parent", "--new-session", "--chdir", ROOT],
];

/** Every folder that holds this one, the outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [...foldersAbove(folder), folder];
}
