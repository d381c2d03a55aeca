import { join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { EffectResolver, Sandbox } from "@toolkeep/core/ports";
import type { SearchPath } from "../environment/search-path.ts";
import { findBeneath } from "../files/find-beneath.ts";
import { SYSTEM_PATHS } from "../sandbox/host/system-folders.ts";
import { type TemporaryWatch, watchTemporary } from "./bounded-commands.ts";
import { PLAIN_PATHS, type SessionPaths, sessionPaths, TEMPORARY } from "./session-paths.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** Where one session works: what its paths mean, and its folder for temporary files. */
export interface SessionPlace {
  /** What `{tmp}` stands for. */
  readonly tmp: readonly string[];
  readonly paths: SessionPaths;
  readonly resolver: Pick<EffectResolver, "canonicalPath" | "findBeneath" | "isShown">;
  /** Missing where commands run without a sandbox: then they use the folders of the machine. */
  readonly temporary?: {
    readonly folder: TemporaryFolder;
    readonly watch: TemporaryWatch;
    readonly isMounted: boolean;
  };
}

interface PlaceOptions {
  readonly sandbox: Sandbox;
  readonly roots: readonly string[];
  readonly adHoc: readonly string[];
  readonly home: string;
  readonly search: SearchPath;
  /** The machine's folders for temporary files. */
  readonly tmp: readonly string[];
}

interface ShownPathsOptions {
  /** Folders and files that the session names itself. */
  readonly named: readonly string[];
  readonly programs: readonly string[];
  readonly home: string;
  isTemporary(path: string): boolean;
}

/** Programs need them, and a command that names them wants to know who uses the machine: that is decided about. */
const OF_USERS: ReadonlySet<string> = new Set(["/etc/passwd", "/etc/group", "/etc/hosts"]);

/** A sandbox has its own of these, in which there is nothing of the machine. Never what tells of other processes. */
const OWN_DEVICES =
  /^\/(?:dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)|proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|filesystems))$/;

export function sessionPlace(options: PlaceOptions): SessionPlace {
  const { sandbox, roots, tmp } = options;
  if (sandbox.isolation === "none")
    return { tmp, paths: PLAIN_PATHS, resolver: { canonicalPath: PLAIN_PATHS.canonicalPath, findBeneath } };
  const folder = temporaryFolder();
  const watch = watchTemporary(folder);
  const isMounted = sandbox.mountsTemporary === true && !roots.some((root) => isWithin(TEMPORARY, root));
  const named = [...roots, ...options.adHoc];
  const paths = isMounted ? sessionPaths(folder, named) : PLAIN_PATHS;
  const isTemporary = isMounted ? paths.isTemporary : (path: string) => isWithin(path, folder.path());
  // Rules about temporary files must not decide about a project that is in such a folder.
  const isTaken = roots.some((root) => isWithin(root, TEMPORARY));
  return {
    tmp: isMounted ? (isTaken ? [] : [TEMPORARY]) : [folder.path()],
    paths,
    resolver: {
      canonicalPath: async (path) => (isOwnDevice(path) ? path : paths.canonicalPath(path)),
      findBeneath: (path, isWanted) => foundBeneath(path, isWanted, paths),
      isShown: shownPaths({ named, home: options.home, programs: options.search.programs, isTemporary }),
    },
    temporary: { folder, watch, isMounted },
  };
}

async function foundBeneath(
  path: string,
  isWanted: ((path: string) => boolean) | undefined,
  { onDisk, inSession }: SessionPaths,
) {
  const named = (found: string) => inSession(found) ?? found;
  const found = await findBeneath(onDisk(path), isWanted && ((one) => isWanted(named(one))));
  return typeof found === "string" ? found : found.map(named);
}

/** A home in which programs find their settings where they expect them; one in `/tmp` would be the session's own. */
export function sandboxHome(home: string): string {
  const isUsable = /^\/[^/]/.test(home) && !isWithin(home, TEMPORARY) && !isWithin(home, join("/var", "tmp"));
  return isUsable ? home : "/home/toolkeep";
}

/**
 * Whether a sandbox shows to every command what an effect touches. The folders around what is shown are there as well,
 * with nothing else in them: to list them shows nothing of the machine.
 */
function shownPaths(options: ShownPathsOptions): (effect: Effect) => boolean {
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

/** The folder that all paths of a pattern are in. */
function fixedPart(target: string): string {
  const wild = target.search(/\/[^/]*[*?{]/);
  return wild === -1 ? target : target.slice(0, wild) || "/";
}

/** Whether a path is one of those, and not behind a link. */
function isOwnDevice(path: string): boolean {
  return OWN_DEVICES.test(path);
}
