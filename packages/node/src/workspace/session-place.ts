import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { EffectResolver, Sandbox } from "@toolkeep/core/ports";
import type { SearchPath } from "../environment/search-path.ts";
import { findBeneath } from "../files/find-beneath.ts";
import { type TemporaryWatch, watchTemporary } from "./bounded-commands.ts";
import { PLAIN_PATHS, type SessionPaths, sessionPaths, TEMPORARY } from "./session-paths.ts";
import { isOwnDevice, shownPaths } from "./shown-paths.ts";
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
