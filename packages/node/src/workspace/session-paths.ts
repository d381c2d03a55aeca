import { posix } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import { canonicalPath } from "../files/canonical-path.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";

/**
 * Where the paths of a session lead. In a session whose commands see a folder of its own as `/tmp`, that is what
 * `/tmp` means to all its tools: the `/tmp` of the machine has no name there.
 */
export interface SessionPaths {
  /** The path with links resolved, as the session names it. */
  canonicalPath(path: string): Promise<string>;
  /** The path on the machine of a canonical path of the session. */
  onDisk(path: string): string;
  /**
   * The path that a canonical path of the machine has in the session; `undefined` for one that has none: the `/tmp` of
   * the machine, and folders of other sessions.
   */
  inSession(path: string): string | undefined;
  /** Whether it is in the session's own folder for temporary files. */
  isTemporary(path: string): boolean;
  /** A text that may name paths of that folder on the machine, with those of the session in their place. */
  inText(text: string): string;
}

/** As the session calls it. */
export const TEMPORARY = "/tmp";

/** Names of the machine's folders for temporary files, which mean the session's own. */
const NAMES = [TEMPORARY, "/var/tmp"];

/** Folders that a session names itself keep their meaning, also where they are in `/tmp`. */
export function sessionPaths(folder: TemporaryFolder, named: readonly string[]): SessionPaths {
  const isTemporary = (path: string) =>
    NAMES.some((name) => isWithin(path, name)) && !named.some((one) => isWithin(path, one));

  function onDisk(path: string): string {
    if (!isTemporary(path)) return path;
    const name = NAMES.find((one) => isWithin(path, one)) ?? TEMPORARY;
    return `${folder.path()}${path.slice(name.length)}`;
  }

  function inSession(path: string): string | undefined {
    const { made } = folder;
    if (made !== undefined && isWithin(path, made)) return `${TEMPORARY}${path.slice(made.length)}`;
    return isTemporary(path) || OF_A_SESSION.test(path) ? undefined : path;
  }

  /** A link may lead from one to the other and back: each time the rest is looked up where it means something. */
  async function resolved(path: string, links: number): Promise<string> {
    if (links > MOST_LINKS)
      throw new ToolFailure("tool_failed", `${JSON.stringify(path)} has circular links.`);
    const isInside = isTemporary(posix.normalize(path)) && NAMES.some((name) => path.startsWith(name));
    const real = await canonicalPath(isInside ? onDisk(path) : path);
    const named = inSession(real);
    if (named !== undefined) return named;
    if (isTemporary(real)) return resolved(real, links + 1);
    throw new ToolFailure("out_of_scope", `${JSON.stringify(path)} leads to the files of another session.`);
  }

  const inText = (text: string) =>
    folder.made === undefined ? text : text.replaceAll(folder.made, TEMPORARY);
  return { canonicalPath: (path) => resolved(path, 0), onDisk, inSession, isTemporary, inText };
}

const MOST_LINKS = 40;
const OF_A_SESSION = /\/toolkeep-tmp-\d+-[^/]+(?:\/|$)/;

/** Where commands see what this process sees. */
export const PLAIN_PATHS: SessionPaths = Object.freeze({
  canonicalPath,
  onDisk: (path: string) => path,
  inSession: (path: string) => path,
  isTemporary: () => false,
  inText: (text: string) => text,
});
