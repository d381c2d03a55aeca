import type { Effect } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import { SYSTEM_PATHS } from "../sandbox/bubblewrap/bubblewrap-args.ts";

interface ShownPathsOptions {
  /** Folders and files that the session names itself. */
  readonly named: readonly string[];
  readonly programs: readonly string[];
  readonly home: string;
  isTemporary(path: string): boolean;
}

/**
 * Whether a sandbox shows to every command what an effect touches. The folders around what is shown are there as well,
 * with nothing else in them: to list them shows nothing of the machine.
 */
export function shownPaths(options: ShownPathsOptions): (effect: Effect) => boolean {
  const shown = [...SYSTEM_PATHS.filter((path) => !OF_USERS.has(path)), ...options.programs];
  const inside = [...shown, ...options.named, options.home, "/tmp", "/var/tmp", "/proc", "/dev"];
  return ({ capability, target }) => {
    const path = fixedPart(target);
    if (isOwnDevice(target)) return true;
    // A pattern, or a folder with everything in it, may mean a folder that the session names.
    if (options.isTemporary(path) && !options.named.some((one) => isWithin(one, path))) return true;
    if (capability !== "fs.read") return false;
    return shown.some((one) => isWithin(path, one)) || inside.some((one) => isWithin(one, path));
  };
}

/** Programs need them, and a command that names them wants to know who uses the machine: that is decided about. */
const OF_USERS: ReadonlySet<string> = new Set(["/etc/passwd", "/etc/group", "/etc/hosts"]);

/** The folder that all paths of a pattern are in. */
function fixedPart(target: string): string {
  const wild = target.search(/\/[^/]*[*?{]/);
  return wild === -1 ? target : target.slice(0, wild) || "/";
}

/** A sandbox has its own of these, in which there is nothing of the machine. Never what tells of other processes. */
const OWN_DEVICES =
  /^\/(?:dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)|proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|filesystems))$/;

/** Whether a path is one of those, and not behind a link. */
export function isOwnDevice(path: string): boolean {
  return OWN_DEVICES.test(path);
}
