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
 * Ends the line of a hook that decides, where the client runs it in `sh`: it blocks if the program did not. The shell's
 * codes for a file that is missing, or that this user may not start, come with a way out. Nothing of the environment may
 * stand in for `echo`.
 */
export function orBlocked(client: string): string {
  const out = `You cannot start the Toolkeep that was installed here, so this is blocked. Type toolkeep install ${client}. If another user installed it, clone the project into a folder of your own.`;
  return `|| { case $? in 126 | 127) unset -f echo; echo '${out}' >&2 ;; esac; exit 2; }`;
}

/** How a client starts this program: the executable and the arguments before the command. */
export type OwnCommand = readonly [string, ...string[]];
