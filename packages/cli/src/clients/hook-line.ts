import { joinCommand } from "@toolkeep/core/internal";

/**
 * Variables with which Node.js loads code into every process, or finds it elsewhere. A project may set the environment
 * of hooks, and the program that decides must not run what the project chose. What the loader of the system reads, such
 * as `LD_PRELOAD`, is in the process before anything could clear it.
 */
export const CLEARED: readonly string[] = [
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "NODE_REPL_EXTERNAL_MODULE", "NODE_CHANNEL_FD"],
  ...["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES"],
];

/** The line that starts a hook. The launcher clears the variables itself; Windows has no `env`. */
export function hookLine(own: OwnCommand, args: readonly string[]): string {
  const isLauncher = own.length === 1;
  const before =
    isLauncher || process.platform === "win32" ? [] : ["env", ...CLEARED.flatMap((one) => ["-u", one])];
  return joinCommand([...before, ...own, ...args]);
}

/**
 * The line of a hook that decides, for any shell: it blocks if the program did not decide. If this user cannot start the
 * launcher, it says how to go on. Nothing of the environment may stand in for a built-in command.
 */
export function decidingLine(own: OwnCommand, client: string): string {
  const args = ["hook", client];
  if (own.length > 1 || process.platform === "win32") return `${hookLine(own, args)} || exit 2`;
  const out = `You cannot start the Toolkeep that was installed here, so this is blocked. Its owner types toolkeep init ${client} again, an administrator with --managed. Other users of a shared folder clone the project.`;
  const script = `"$0" "$@" && exit; unset -f [ echo; [ -x "$0" ] || echo "${out}" >&2; exit 2`;
  return joinCommand(["/bin/sh", "-c", script, ...own, ...args]);
}

/** How a client starts this program: the executable and the arguments before the command. */
export type OwnCommand = readonly [string, ...string[]];
