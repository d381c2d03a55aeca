import { joinCommand } from "@toolkeep/core/internal";
import type { OwnCommand } from "./install-client.ts";

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
